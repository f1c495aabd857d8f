"""Opens the pages texts.html and images.html of a folder in headless Chromium and uses them as a person would, by the WebDriver protocol.

    attention_page_browser.py FOLDER
"""

import base64
import json
import os
import subprocess
import sys
import time
import urllib.request

FOLDER = os.path.realpath(sys.argv[1])
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"


class Browser:
    def __init__(self, width, is_dark):
        self.driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE, text=True)
        for line in self.driver.stdout:  # "... started successfully on port 40123."
            if " on port " in line and "started" in line:
                self.base = "http://127.0.0.1:" + line.rsplit(" ", 1)[1].strip(". \n")
                break
        options = ["--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", f"--window-size={width},1000", f"--user-data-dir={FOLDER}/profile-{os.getpid()}-{width}"]
        if is_dark:
            options.append("--force-dark-mode")
        capabilities = {"browserName": "chrome", "goog:chromeOptions": {"args": options}, "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"}}
        self.session = self.call("POST", "/session", {"capabilities": {"alwaysMatch": capabilities}})["sessionId"]

    def call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, data=data, method=method, headers={"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)["value"]

    def do(self, method, path, body=None):
        return self.call(method, f"/session/{self.session}{path}", body)

    def run(self, script):
        return self.do("POST", "/execute/sync", {"script": script, "args": []})

    def find(self, selector):
        return self.do("POST", "/element", {"using": "css selector", "value": selector})[ELEMENT]

    def click(self, selector):
        self.do("POST", f"/element/{self.find(selector)}/click", {})

    def click_at(self, selector, x, y):  # from the element's middle
        origin = {ELEMENT: self.find(selector)}
        moves = [{"type": "pointerMove", "duration": 0, "x": x, "y": y, "origin": origin}, {"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}]
        self.do("POST", "/actions", {"actions": [{"type": "pointer", "id": "mouse", "actions": moves}]})

    def press(self, key):
        keys = [{"type": "keyDown", "value": key}, {"type": "keyUp", "value": key}]
        self.do("POST", "/actions", {"actions": [{"type": "key", "id": "keys", "actions": keys}]})

    def choose(self, name, value):
        self.click(f"#{name} option[value='{value}']")
        self.run("document.activeElement.blur()")  # keys are for a select as long as it has the focus

    def status(self):
        return self.run("return document.getElementById('status').textContent")

    def log(self, kind):
        return self.do("POST", "/se/log", {"type": kind})

    def open(self, page):
        self.do("POST", "/url", {"url": "about:blank"})
        for kind in ("browser", "performance"):  # what the browser's own first page did
            self.log(kind)
        self.do("POST", "/url", {"url": f"file://{FOLDER}/{page}"})
        # A browser drops keys and clicks until it has drawn the first frame, which may be after the page has loaded.
        self.run("window.keys = 0; addEventListener('keydown', () => window.keys++)")
        for _ in range(100):
            self.press("\ue008")  # Shift alone, which the page does not use
            if self.run("return window.keys") > 0:
                return
            time.sleep(0.1)
        sys.exit(f"attention_page_browser.py: {page} takes no keys")

    def close(self):
        self.do("DELETE", "")
        self.driver.terminate()
        self.driver.wait()


def check(is_right, what):
    if not is_right:
        sys.exit("attention_page_browser.py: " + what)


def check_status(browser, is_right, what):
    """Waits for the page: an event is on its way when the driver answers."""
    for _ in range(50):
        status = browser.status()
        if is_right(status):
            return
        time.sleep(0.1)
    check(False, f"{what}: {status}")


def check_quiet(browser):
    said = [entry["message"] for entry in browser.log("browser")]
    check(said == [], f"the console says {said[:2]}")
    urls = [json.loads(entry["message"])["message"]["params"].get("request", {}).get("url", "") for entry in browser.log("performance")]
    fetched = [url for url in urls if url and not url.startswith(("file://", "data:", "about:", "chrome"))]
    check(fetched == [], f"something was fetched: {fetched[:3]}")


def colors(browser, canvas):
    return browser.run(
        f"const c = document.getElementById('{canvas}'), copy = document.createElement('canvas');"
        "copy.width = c.width; copy.height = c.height; const to = copy.getContext('2d', {willReadFrequently: true}); to.drawImage(c, 0, 0);"
        "const d = to.getImageData(0, 0, c.width, c.height).data, s = new Set();"
        "for (let i = 0; i < d.length; i += 4) s.add(d[i] + ',' + d[i + 1] + ',' + d[i + 2]); return [...s].length"
    )


def check_texts(browser):
    browser.open("texts.html")
    check_status(browser, lambda s: s == "encoder attention, layer 0, mean of heads", "at first")
    check(browser.run("return document.title") == "translator: attention", "its title, or a text that ran")
    check(browser.run("return [...document.getElementById('layer').options].length") == 3, "three layers of the encoder")
    check(browser.run("return document.querySelectorAll('#lines text').length") == 6, "three words on both sides")
    check(browser.run("return document.querySelectorAll('#lines line').length") == 9, "a line from each to each")
    check(colors(browser, "matrix") > 5, "the matrix is blank")
    # Keys: the second layer, the first head, the second word.
    for key in ["\ue015", "\ue014", "n", "n"]:
        browser.press(key)
    check_status(browser, lambda s: s.startswith("encoder attention, layer 1, head 0: red looks at "), "after four keys")
    check(browser.run("return document.querySelectorAll('#lines line').length") == 3, "the lines of one word")
    browser.press("\ue00c")
    check_status(browser, lambda s: s == "encoder attention, layer 1, head 0", "after Escape")
    # A click keeps a word, another one lets it go.
    browser.click("#lines text[data-query='0']")
    check_status(browser, lambda s: ": the looks at " in s, "a click on a word")
    browser.click("#lines text[data-query='0']")
    browser.click_at("h1", 0, 0)  # a pointer that rests on a word chooses it
    check_status(browser, lambda s: " looks at " not in s, "another click")
    # The weights of a row are those of the model: they sum to 1.
    browser.choose("kind", 2)
    check_status(browser, lambda s: s.startswith("cross attention, layer 1"), "another kind")
    browser.press("n")
    check_status(browser, lambda s: " looks at " in s, "the next word")
    shown = browser.run("return [...document.querySelectorAll('#lines text')].slice(-3).map((t) => Number(t.textContent.split('  ')[1]))")
    check(abs(sum(shown) - 1) < 0.003, f"weights of a row: {shown}")
    browser.click_at("h1", 0, 0)
    browser.press("\ue00c")
    check_status(browser, lambda s: " looks at " not in s, "Escape with the pointer elsewhere")
    width, height = browser.run("const b = document.getElementById('matrix').getBoundingClientRect(); return [b.width, b.height]")
    browser.click_at("#matrix", int(width / 2) - 10, int(height / 2) - 10)  # the last of both
    check_status(browser, lambda s: " looks at " in s, "a click on the matrix")
    # The hostile example is text.
    browser.choose("example", 1)
    check(browser.run("return document.title") == "translator: attention", "a text ran")
    check(browser.run("return document.querySelectorAll('img').length") == 0, "a text became an image")
    check("<img" in browser.run("return document.getElementById('lines').textContent"), "its words are not shown")
    # A higher border leaves lines out.
    browser.run("const l = document.getElementById('least'); l.value = 0.5; l.dispatchEvent(new Event('input'))")
    check(browser.run("return document.getElementById('least-value').textContent") == "0.50", "the border of weights")
    check_quiet(browser)


def check_long(browser):
    browser.open("long.html")
    check(browser.run("return document.querySelectorAll('#lines text').length") == 240, "120 words on both sides")
    browser.run("window.scrollTo(0, document.documentElement.scrollHeight)")
    check(browser.run("return window.scrollY") > 500, "the page does not scroll")
    for name in ("example", "layer", "head", "status"):
        top, bottom = browser.run(f"const b = document.getElementById('{name}').getBoundingClientRect(); return [b.top, b.bottom]")
        check(0 <= top < bottom < 500, f"{name} is out of sight: {top} to {bottom}")
    # A model that has learned nothing looks everywhere alike, and the page says so.
    check("This picture is flat" in browser.run("return document.getElementById('note').textContent"), "a flat picture")
    check(browser.run("return document.getElementById('second').textContent").endswith("(lower the limit of the lines)"), "no line, and no word of it")
    browser.run("const l = document.getElementById('least'); l.value = 0; l.dispatchEvent(new Event('input'))")
    check(browser.run("return document.getElementById('second').textContent") == "Lines between words", "lines at the lowest limit")
    check(browser.run("return document.documentElement.scrollWidth <= window.innerWidth"), "wider than the window")
    check_quiet(browser)


def check_links(browser):
    browser.open("texts.html")
    for key in ["\ue015", "\ue014"]:
        browser.press(key)
    check_status(browser, lambda s: s == "encoder attention, layer 1, head 0", "after two keys")
    check(browser.run("return location.hash") == "#example=0&kind=encoder&layer=1&head=0", "the address of a view")
    browser.open("texts.html#example=2&kind=cross&layer=1&head=1&word=0")
    check_status(browser, lambda s: s.startswith("cross attention, layer 1, head 1: "), "a link to a view")
    check(browser.run("return document.getElementById('example').value") == "2", "the example of a link")
    browser.run("location.hash = '#example=0&kind=decoder&layer=0&head=mean'")
    check_status(browser, lambda s: s == "decoder attention, layer 0, mean of heads", "another link in the same page")
    browser.open("texts.html#example=99&kind=<b>&layer=x&head=7&word=-3")
    check_status(browser, lambda s: s == "encoder attention, layer 0, mean of heads", "a link to nothing")
    check_quiet(browser)


def check_images(browser):
    browser.open("images.html")
    for _ in range(50):  # the image is read after the page
        if colors(browser, "picture") > 3:
            break
        time.sleep(0.1)
    check(browser.run("return document.getElementById('picture').hidden") is False, "the image is not shown")
    check(browser.run("return document.getElementById('lines').hasAttribute('hidden')") is True, "lines of an image")
    check(colors(browser, "picture") > 3, "the image is blank")
    before = browser.run("return document.getElementById('picture').toDataURL()")
    browser.run("document.getElementById('picture').scrollIntoView({block: 'center'})")  # a click is from the middle of what is seen
    browser.click_at("#picture", 60, 60)  # the lower right patch
    check_status(browser, lambda s: ": 1,1 looks at " in s, "a click on a patch")
    check(browser.run("return document.getElementById('picture').toDataURL()") != before, "a click changes nothing")
    check_quiet(browser)


def check_layout(browser, is_wide):
    browser.open("texts.html")
    tops = browser.run("return [...document.querySelectorAll('section')].map((s) => s.getBoundingClientRect().top)")
    check((tops[0] == tops[1]) == is_wide, f"sections at {tops}")
    check(browser.run("return document.documentElement.scrollWidth <= window.innerWidth"), "wider than the window")


for width, is_dark in ((1600, False), (800, True), (500, False)):
    browser = Browser(width, is_dark)
    try:
        check_texts(browser)
        check_images(browser)
        check_long(browser)
        check_links(browser)
        check_layout(browser, width == 1600)
        theme = browser.run("return document.documentElement.dataset.theme")
        browser.click("#theme")
        check(browser.run("return document.documentElement.dataset.theme") != theme, "dark and light")
        for page in ("texts", "images", "long"):
            browser.open(page + ".html")
            time.sleep(0.2)
            with open(f"{FOLDER}/{page}-{width}.png", "wb") as file:
                file.write(base64.b64decode(browser.do("GET", "/screenshot")))
    finally:
        browser.close()
