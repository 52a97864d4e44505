"""The demo: a simulated WeCom, a real gateway, an example agent, and twelve customer turns."""
