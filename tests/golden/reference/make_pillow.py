"""Makes pillow/resize.json beside this file by Pillow (13.0): one image of each number of channels in other sizes, by every filter.

    python make_pillow.py
"""

import json
import pathlib

import PIL
import numpy as np
from PIL import Image

HEIGHT, WIDTH = 13, 17
SIZES = [(5, 7), (13, 6), (20, 17), (14, 23), (1, 1), (3, 31), (5, 13), (5, 14)]  # height, width; rows come first in (3, 31) and (5, 14)
FILTERS = ["nearest", "lanczos", "bilinear", "bicubic", "box", "hamming"]  # by Pillow's numbers


def image(channels):
    """Noise with edges of black and white, where filters overshoot."""
    pixels = np.random.default_rng(7 + channels).integers(0, 256, (HEIGHT, WIDTH, channels), np.uint8)
    pixels[3:7, 4:9] = 255
    pixels[7:10, 9:] = 0
    return pixels


def cases():
    for channels in (1, 3):
        pixels = image(channels)
        picture = Image.fromarray(pixels[:, :, 0] if channels == 1 else pixels)
        for height, width in SIZES:
            for number, name in enumerate(FILTERS):
                resized = np.array(picture.resize((width, height), resample=number))
                yield {"channels": channels, "height": height, "width": width, "filter": name, "pixels": resized.reshape(-1).tolist()}


out = pathlib.Path(__file__).parent / "pillow" / "resize.json"
inputs = {str(channels): image(channels).reshape(-1).tolist() for channels in (1, 3)}
text = {"pillow": PIL.__version__, "height": HEIGHT, "width": WIDTH, "images": inputs, "cases": list(cases())}
out.write_text(json.dumps(text, separators=(",", ":")).replace('{"channels"', '\n{"channels"') + "\n")
