"""Boats in a harbour.

Call find_boat to check the boat's name before you call price.
"""

from dataclasses import dataclass
from typing import Literal, Optional

from capstan import tool

TOOL_CONFIG = {"title": "Harbour"}


def find_boat(name: str) -> dict:
    """Finds a boat's berth and its length in metres.

    Args:
        name: The boat's name, for example Anna.

    Returns:
        dict: its berth, and its length in metres

    Raises:
        LookupError: if there is no such boat
    """
    if name not in _boats:
        raise LookupError(f"There is no boat {name}. The boats are: {', '.join(_boats)}.")
    return {"name": name, **_boats[name]}


# The model reads this text. Other tools and programs get the data.
find_boat.format = lambda boat, args: f"{boat['name']}: berth {boat['berth']}, {boat['metres']} m"


@dataclass
class Stay:
    """A stay in the harbour.

    Attributes:
        nights: The number of nights.
        electricity: Whether the boat uses shore power.
    """

    nights: int
    electricity: bool = False


@tool(executionPolicy="auto", effects="read")
def price(
    name: str, stay: Stay, season: Literal["summer", "winter"] = "summer", members: Optional[int] = None
) -> float:
    """Calculates the price of a berth in euros.

    Args:
        name: The boat's name.
        stay: The length of the stay and its options.
        season: Winter costs half.
        members: The number of club members on board. Each, up to four, lowers the price by 5 %.
    """
    metres = find_boat(name)["metres"]
    euros = metres * stay.nights * (2.0 if season == "summer" else 1.0)
    if stay.electricity:
        euros += 4.5 * stay.nights
    return round(euros * (1 - 0.05 * min(members or 0, 4)), 2)


async def watch_tide(hours: int = 3, context=None) -> list[dict]:
    """Reads the tide for each hour.

    Args:
        hours: The number of hours, at most 24.
    """
    readings = []
    for hour in range(min(hours, 24)):
        if context is not None:
            context.progress(f"hour {hour + 1}", done=hour + 1, total=hours)
        print("reading hour", hour)
        readings.append({"hour": hour, "metres": _tide(hour)})
    return readings


# Names that begin with _ are private: Capstan offers no tools for them.
_boats = {"Anna": {"berth": 3, "metres": 12}, "Bris": {"berth": 7, "metres": 9}}


def _tide(hour: int) -> float:
    return round(1.5 + (hour % 12 - 6) / 6, 2)
