"""The charts themselves. These modules import altair, so only `charts.drawing` imports them."""
