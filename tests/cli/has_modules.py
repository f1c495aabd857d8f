"""Are these modules there? Asked without importing them, which takes torch seconds: has_modules.py NAME..."""
import importlib.util
import sys

sys.exit(any(importlib.util.find_spec(name) is None for name in sys.argv[1:]))
