"""The names that scripts can import: `from capstan import tool, Context, ToolError`."""

from capstan.context import Context
from capstan.declare import tool
from capstan.errors import ToolError

__all__ = ["Context", "ToolError", "tool"]
