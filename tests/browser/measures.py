"""What a page is measured by in a real browser: how far it jumps, how its inputs stand out, what is beyond the paper.

Colours are resolved by the browser itself: each is painted on a canvas of one pixel, so that oklch() and light-dark()
are read as they are shown.
"""

from io import BytesIO
from typing import Any

from PIL import Image
from playwright.sync_api import Page

#: Every shift since the page began, once three pictures of it were painted: [how much, the parts that moved].
SHIFTS = """() => new Promise((done) => {
  const seen = [];
  const name = (one) => one && `${one.nodeName} ${one.getAttribute?.("class")} ${one.textContent.slice(0, 30)}`;
  const keep = (one) => {
    if (!one.hadRecentInput) seen.push([one.value, one.sources.map((part) => name(part.node))]);
  };
  const watch = new PerformanceObserver((list) => list.getEntries().forEach(keep));
  watch.observe({ type: "layout-shift", buffered: true });
  const end = () => { watch.takeRecords().forEach(keep); watch.disconnect(); done(seen); };
  requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(end, 20))));
})"""

#: Controls with the contrast of their edge: [what it is, its border, what lies behind, contrast of the weakest side].
EDGES = """() => {
  const pen = Object.assign(document.createElement("canvas"), { width: 1, height: 1 })
    .getContext("2d", { willReadFrequently: true });
  const fill = (colour) => { pen.fillStyle = colour; pen.fillRect(0, 0, 1, 1); };
  const over = (colour, ground) => {
    fill(`rgb(${ground})`);
    fill(colour);
    return [...pen.getImageData(0, 0, 1, 1).data].slice(0, 3);
  };
  const linear = (one) => one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4;
  const light = (rgb) => rgb.map((one, at) => linear(one / 255) * [0.2126, 0.7152, 0.0722][at]).reduce((a, b) => a + b);
  const contrast = (one, other) => {
    const [low, high] = [light(one), light(other)].sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
  };
  const white = [255, 255, 255];
  const behind = (one) => one ? over(getComputedStyle(one).backgroundColor, behind(one.parentElement)) : white;
  const own = (one) => !["checkbox", "radio"].includes(one.type) || getComputedStyle(one).appearance === "none";
  return [...document.querySelectorAll("input, select, textarea")]
    .filter((one) => one.checkVisibility({ visibilityProperty: true, opacityProperty: true }) && one.offsetWidth > 1)
    .filter((one) => !["hidden", "submit", "button", "image"].includes(one.type) && !one.disabled && own(one))
    .map((one) => {
      const style = getComputedStyle(one), ground = behind(one.parentElement);
      const edge = (side) => {
        const drawn = parseFloat(style[`border${side}Width`]) > 0 && style[`border${side}Style`] !== "none";
        return contrast(over(drawn ? style[`border${side}Color`] : style.backgroundColor, ground), ground);
      };
      const weakest = Math.min(...["Top", "Right", "Bottom", "Left"].map(edge));
      return [`${one.type} ${one.name || one.id}`, style.borderTopColor, ground.join(), weakest];
    });
}"""

#: Boxes and rounds that the browser draws itself: their order on the page.
NATIVE = """() => [...document.querySelectorAll("input")].map((one, at) => [at, one])
  .filter(([, one]) => ["checkbox", "radio"].includes(one.type) && !one.disabled)
  .filter(([, one]) => getComputedStyle(one).appearance !== "none" && one.getBoundingClientRect().width > 4)
  .filter(([, one]) => one.checkVisibility({ visibilityProperty: true, opacityProperty: true }))
  .map(([at, one]) => [at, `${one.type}, ${one.checked}`])"""

#: What ends beyond the page, and what is cut inside of a part that hides what does not fit.
BEYOND = """() => [...document.querySelectorAll("body *")]
  .filter((one) => one.checkVisibility() && !one.closest(".sr, svg, caption"))
  .filter((one) => {
    const { left, right, width } = one.getBoundingClientRect(), style = getComputedStyle(one);
    const cut = style.overflowX !== "visible" && one.scrollWidth > one.clientWidth + 1;
    return width > 1 && (right > innerWidth + 1 || left < -1 || cut);
  })
  .map((one) => `${one.nodeName} ${one.className} ${Math.round(one.getBoundingClientRect().right)}`)"""


def shifts(page: Page) -> tuple[float, list[Any]]:
    """Return by how much a page has jumped since it began, all jumps together, and what moved."""
    seen = page.evaluate(SHIFTS)
    return sum(value for value, _ in seen), seen


def lightness(rgb: tuple[int, ...]) -> float:
    """Return the relative luminance of WCAG 2.2."""
    parts = [part / 255 for part in rgb]
    linear = [one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in parts]
    return float(0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2])


def contrast(one: tuple[int, ...], other: tuple[int, ...]) -> float:
    """Return the contrast of two colours, 1 to 21."""
    low, high = sorted((lightness(one), lightness(other)))
    return (high + 0.05) / (low + 0.05)


def drawn_contrast(page: Page, nth: int) -> float:
    """Return the largest contrast within a box that the browser draws itself, against what surrounds it."""
    box = page.locator("input").nth(nth)
    box.scroll_into_view_if_needed()
    where = box.bounding_box()
    assert where is not None
    clip = {"x": where["x"] - 2, "y": where["y"] - 2, "width": where["width"] + 4, "height": where["height"] + 4}
    image = Image.open(BytesIO(page.screenshot(clip=clip))).convert("RGB")  # type: ignore[arg-type]
    behind = image.getpixel((0, 0))
    colours = {image.getpixel((x, y)) for x in range(image.width) for y in range(image.height)}
    return max(contrast(one, behind) for one in colours)  # type: ignore[arg-type]


def weak_inputs(page: Page) -> list[str]:
    """Return the inputs whose edge stands out by less than 3:1 from what lies behind them (WCAG 2.2, 1.4.11)."""
    found = [
        f"{what}: {edge} on {behind} {value:.2f}" for what, edge, behind, value in page.evaluate(EDGES) if value < 3
    ]
    kinds = {kind: nth for nth, kind in page.evaluate(NATIVE)}
    drawn = {kind: drawn_contrast(page, nth) for kind, nth in kinds.items()}
    return found + [f"{kind}: drawn {value:.2f}" for kind, value in drawn.items() if value < 3]
