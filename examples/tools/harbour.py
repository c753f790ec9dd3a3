"""Boats in a harbour.

Find a boat by its name before you ask what its berth costs.
"""

from dataclasses import dataclass
from typing import Literal, Optional

from capstan import tool

TOOL_CONFIG = {"title": "Harbour"}


def find_boat(name: str) -> dict:
    """Says where a boat lies, and how long it is.

    Args:
        name: The boat's name, for example Anna.

    Returns:
        dict: its berth, and its length in metres

    Raises:
        LookupError: when no such boat lies here
    """
    if name not in _boats:
        raise LookupError(f"No boat {name} lies here. There are: {', '.join(_boats)}.")
    return {"name": name, **_boats[name]}


# The model reads this text; the data stays beside it, for other tools and programs.
find_boat.format = lambda boat, args: f"{boat['name']}: berth {boat['berth']}, {boat['metres']} m"


@dataclass
class Stay:
    """A time in the harbour.

    Attributes:
        nights: How many nights.
        electricity: Whether the boat takes current.
    """

    nights: int
    electricity: bool = False


@tool(executionPolicy="auto", effects="read")
def price(
    name: str, stay: Stay, season: Literal["summer", "winter"] = "summer", members: Optional[int] = None
) -> float:
    """Reckons what a berth costs, in euros.

    Args:
        name: The boat's name.
        stay: When it comes and what it needs.
        season: Winter costs half.
        members: How many of the crew are members of the club; each takes 5 % off.
    """
    metres = find_boat(name)["metres"]
    euros = metres * stay.nights * (2.0 if season == "summer" else 1.0)
    if stay.electricity:
        euros += 4.5 * stay.nights
    return round(euros * (1 - 0.05 * min(members or 0, 4)), 2)


async def watch_tide(hours: int = 3, context=None) -> list[dict]:
    """Reads the tide, hour by hour.

    Args:
        hours: How far ahead, at most a day.
    """
    readings = []
    for hour in range(min(hours, 24)):
        if context is not None:
            context.progress(f"hour {hour + 1}", done=hour + 1, total=hours)
        print("reading hour", hour)
        readings.append({"hour": hour, "metres": _tide(hour)})
    return readings


# What begins with _ is private: no tool.
_boats = {"Anna": {"berth": 3, "metres": 12}, "Bris": {"berth": 7, "metres": 9}}


def _tide(hour: int) -> float:
    return round(1.5 + (hour % 12 - 6) / 6, 2)
