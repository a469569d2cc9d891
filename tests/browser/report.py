# SPDX-License-Identifier: MIT
"""Drives a report in Chromium. usage: report.py FILE.html (made by tests/e2e/report_browser.sh)"""
import json
import pathlib
import sys
import unittest

from selenium import webdriver
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select, WebDriverWait

PAGE = pathlib.Path(sys.argv.pop(1)).resolve().as_uri()
WAIT_S = 60
CSS = By.CSS_SELECTOR


def browser():
    options = webdriver.ChromeOptions()
    for word in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--window-size=1280,900"):
        options.add_argument(word)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    return webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)


# The contrast of text on its background, by WCAG, for every cell that is shown.
CONTRAST = """
const paint = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
function rgb(css) {
  paint.clearRect(0, 0, 1, 1); paint.fillStyle = css; paint.fillRect(0, 0, 1, 1);
  return [...paint.getImageData(0, 0, 1, 1).data];
}
function light(c) {
  const f = c.slice(0, 3).map((v) => { v /= 255; return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; });
  return 0.2126 * f[0] + 0.7152 * f[1] + 0.0722 * f[2];
}
function behind(e) {
  for (; e; e = e.parentElement) { const c = rgb(getComputedStyle(e).backgroundColor); if (c[3] > 250) return c; }
  return [255, 255, 255, 255];
}
return [...document.querySelectorAll(arguments[0])].map((e) => {
  const a = light(rgb(getComputedStyle(e).color)), b = light(behind(e));
  return [e.className + ' ' + e.textContent.slice(0, 20), (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)];
});
"""


class Report(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.driver = browser()

    @classmethod
    def tearDownClass(cls):
        cls.driver.quit()

    def setUp(self):
        self.driver.get_log("browser")
        self.open("")

    def tearDown(self):
        errors = [e["message"] for e in self.driver.get_log("browser") if e["level"] in ("SEVERE", "WARNING")]
        self.assertEqual(errors, [])

    def open(self, fragment):
        # Another fragment of the page that is shown would be drawn some time later.
        self.driver.get("about:blank")
        self.driver.get(PAGE + fragment)
        self.until(lambda d: d.execute_script("return document.documentElement.dataset.ready") == "yes")

    def until(self, condition):
        # What is redrawn while it is looked at is not there yet.
        ignored = [StaleElementReferenceException]
        return WebDriverWait(self.driver, WAIT_S, ignored_exceptions=ignored).until(condition)

    def address(self):
        # driver.current_url learns of a rewritten one some time later.
        return self.driver.execute_script("return location.href")

    def all(self, css):
        return self.driver.find_elements(CSS, css)

    def one(self, css):
        return self.driver.find_element(CSS, css)

    def rows(self):
        return [e.text.strip() for e in self.all("#board tbody th")]

    def cell(self, fragment):
        self.open(fragment)
        self.until(lambda d: d.find_elements(CSS, ".source"))

    def test_opens(self):
        self.assertEqual(self.one("h1").text, "browser")
        self.assertEqual(len(self.rows()), 4)
        self.assertEqual(self.rows()[0], "naive")
        for section in ("Leaderboard", "Verdicts", "Ceilings", "Roofline", "All candidates"):
            self.assertIn(section, [e.text for e in self.all("h2")])
        self.assertGreater(len(self.all(".plot svg")), 3)

    def test_nothing_is_fetched(self):
        urls = set()
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                urls.add(message["params"]["request"]["url"])
        other = [u for u in urls if u.split("#")[0] != PAGE and not u.startswith(("data:", "about:", "chrome:"))]
        self.assertEqual(other, [])
        self.assertEqual(self.driver.execute_script("return performance.getEntriesByType('resource').length"), 0)

    def test_sorts(self):
        def head(name):
            return next(e for e in self.all("#board button.sort") if e.text.startswith(name))
        head("Model").click()
        self.assertEqual(self.rows(), sorted(self.rows()))
        names = self.rows()
        head("Model").click()
        self.assertEqual(self.rows(), names[::-1])
        self.assertEqual(len(self.all("#board th[aria-sort=ascending]")), 1)
        # the keyboard stays on the head it pressed, and can press it again
        self.driver.switch_to.active_element.send_keys(Keys.ENTER)
        self.assertEqual(self.rows(), names)

    def test_sorts_the_list(self):
        next(e for e in self.all("#list button.sort") if e.text.startswith("Cold")).click()
        times = [e.text for e in self.all("#list tbody td:last-child") if e.text]
        self.assertGreater(len(times), 3)
        us = [float(t.split()[0]) * (1000 if t.endswith("ms") else 1) for t in times]
        self.assertEqual(us, sorted(us))

    def test_filters(self):
        self.one("#f-q").send_keys("softmax")
        self.assertEqual(self.rows(), ["naive"])
        self.assertEqual(len(self.all("#list tbody tr")), 1)
        self.assertIn("q=softmax", self.address())
        self.one("#f-q").send_keys(Keys.CONTROL, "a")
        self.one("#f-q").send_keys("no such thing")
        self.assertIn("Nothing matches", self.one("#board").text)

    def test_filters_by_verdict_and_links(self):
        Select(self.one("#f-verdict")).select_by_value("crash")
        self.assertEqual(self.rows(), ["faulty"])
        link = self.address()
        self.driver.get("about:blank")
        self.driver.get(link)
        self.until(lambda d: d.find_elements(CSS, "#board tbody th"))
        self.assertEqual(self.rows(), ["faulty"])

    def test_flips(self):
        self.one("#flip").click()
        self.assertTrue(any("019_relu" in row for row in self.rows()))

    def test_a_cell_from_the_table_and_back(self):
        self.one("#board td.cell a").click()
        self.until(lambda d: d.find_elements(CSS, ".source"))
        self.assertIn("cell=", self.address())
        self.assertGreaterEqual(len(self.all("circle.sample")), 18)  # the least number of scored calls on a CPU
        self.assertIn("assay eval level1/", self.one(".cellpage").text)
        self.one("#back").click()
        self.until(lambda d: d.find_elements(CSS, "#board"))
        self.one("body").send_keys("/")
        self.assertEqual(self.driver.switch_to.active_element.get_attribute("id"), "f-q")

    def test_the_annotated_cell(self):
        self.cell("#cell=tuned/level1/019_relu/0&line=5")
        self.assertIn("<b>streams</b> its stores", self.one(".annotation").text)
        self.assertEqual(self.one("tr.quoted .code").text, '#include "assay.h"')
        self.assertEqual(self.one("tr.target").get_attribute("id"), "L5")
        self.assertGreater(len(self.all(".source .t-c")), 0)
        # samples of the same model: this one and a wrong one
        self.assertEqual(len(self.all(".siblings .chip[aria-current]")), 1)

    def test_keys_walk_through_cells(self):
        self.cell("#cell=naive/level1/001_square_matrix_multiplication/0")
        self.one("body").send_keys(Keys.ARROW_RIGHT)
        self.until(lambda d: "019_relu" in d.find_element(CSS, "h1").text)
        self.one("body").send_keys(Keys.ESCAPE)
        self.until(lambda d: d.find_elements(CSS, "#board"))

    def test_a_broken_build_shows_the_compiler(self):
        self.cell("#cell=faulty/level1/001_square_matrix_multiplication/0")
        self.assertIn("error:", self.one(".log").text)
        self.assertEqual(self.one(".verdict.big").text, "BUILD ERROR")

    def test_hostile_text_is_text(self):
        evil = "%3Cimg%20src%3Dx%20onerror%3Dpwned()%3E" + 200 * "x"
        self.assertEqual(len(self.all("#view img, #view b b, .board script")), 0)
        self.cell("#cell=" + evil + "/level1/019_relu/0")
        self.assertIn("<img src=x onerror=pwned()>", self.one("h1").text)
        self.assertIn("</script><script>pwned()</script><!--", self.one("#L1 .code").text)
        self.assertEqual(len(self.all("#view img, #view script")), 0)

    def test_an_unknown_cell_says_so(self):
        self.open("#cell=nobody/at/all")
        self.assertIn("no candidate", self.one(".warn").text)

    def test_the_published_board_is_beside(self):
        self.assertIn("published <b>model</b>", self.driver.page_source.replace("&lt;", "<").replace("&gt;", ">"))
        self.assertEqual(len(self.all("path.published")), 1)

    def test_figures_of_models(self):
        self.assertIn("fast_p", [e.text for e in self.all("h2")])
        heads = [e.text for e in self.all("#metrics thead th")]
        row = next(r for r in self.all("#metrics tbody tr") if r.text.startswith("naive"))
        values = dict(zip(heads, [e.text for e in row.find_elements(CSS, "th, td")]))
        self.assertEqual(values["speed-up, right"], "1.00×")  # it is the baseline
        self.assertEqual(values["fast 1"], "0.00 %")

    def test_text_can_be_read_in_both_themes(self):
        for theme in ("light", "dark"):
            self.driver.execute_script("document.documentElement.dataset.theme = arguments[0]", theme)
            seen = self.driver.execute_script(CONTRAST, ".cell b, .cell small, .swatch, .note, .verdict, .tick, th, dt, .card small")
            self.assertGreater(len(seen), 30)
            self.assertEqual([(theme, what, round(c, 2)) for what, c in seen if c < 4.5], [])

    def test_fits_a_phone(self):
        size = {"width": 390, "height": 800, "deviceScaleFactor": 1, "mobile": True}
        for fragment in ("", "#cell=tuned/level1/019_relu/0"):
            self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
            try:
                self.open(fragment)
                self.until(lambda d: d.find_elements(CSS, ".plot svg"))
                self.assertLessEqual(self.driver.execute_script("return document.documentElement.scrollWidth"), 390)
            finally:
                self.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})

    def test_names_for_those_who_cannot_see(self):
        for css in ("select", "input"):
            for element in self.all(css):
                self.assertTrue(element.accessible_name, element.get_attribute("id"))
        self.assertEqual([a.get_attribute("href") for a in self.all("a") if not a.accessible_name.strip()], [])


if __name__ == "__main__":
    unittest.main()
