// What run.py asks a page; the value of this file is an object of functions.
({
  openAll() {
    for (const each of document.querySelectorAll('details')) each.open = true;
  },

  // Elements whose own text has too little contrast with what is behind it: [text, ratio].
  lowContrast(least) {
    const numbers = (colour) => colour.match(/[\d.]+/g).map(Number);
    const luminance = ([r, g, b]) => [r, g, b]
      .map((c) => (c /= 255) <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
      .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
    const behind = (element) => {
      for (let at = element; at; at = at.parentElement) {
        const colour = numbers(getComputedStyle(at).backgroundColor);
        if (colour.length === 3 || colour[3] === 1) return colour;
      }
      return [255, 255, 255];
    };
    const box = (text) => {  // of SVG: the host that it stands on
      const host = text.parentElement.querySelector('.h');
      const fill = host && getComputedStyle(host).fill;
      return fill && fill !== 'none' ? numbers(fill) : behind(text.closest('svg'));
    };
    const found = [];
    for (const element of document.querySelectorAll('body *')) {
      const text = [...element.childNodes].filter((n) => n.nodeType === 3).map((n) => n.data).join('').trim();
      if (!text || element.localName === 'title' || !element.checkVisibility()) continue;
      const svg = element.closest('svg');
      const style = getComputedStyle(element);
      const [a, b] = [luminance(numbers(svg ? style.fill : style.color)),
        luminance(svg ? box(element) : behind(element))];
      const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
      if (ratio < least) found.push([text.slice(0, 40), element.className.toString(), Math.round(ratio * 100) / 100]);
    }
    return found;
  },

  overflow() {
    return document.documentElement.scrollWidth - window.innerWidth;
  },

  // What those who do not see the page need; a sentence for each fault.
  faults() {
    const out = [];
    if (!document.documentElement.lang) out.push('no language');
    const ids = [...document.querySelectorAll('[id]')].map((e) => e.id);
    if (new Set(ids).size !== ids.length) out.push('an id twice');
    let last = 0;
    for (const heading of document.querySelectorAll('h1,h2,h3,h4,h5,h6')) {
      const level = Number(heading.localName[1]);
      if (level > last + 1) out.push(`h${last} is followed by h${level}: ${heading.textContent}`);
      last = level;
    }
    if (document.querySelectorAll('h1').length !== 1) out.push('not one h1');
    for (const table of document.querySelectorAll('table')) {
      if (!table.caption) out.push('a table without a caption');
      if (table.querySelector('th:not([scope])')) out.push('a th without a scope');
      if (table.tHead.rows[0].cells.length !== table.tBodies[0].rows[table.tBodies[0].rows.length - 1].cells.length)
        out.push(`rows of ${table.caption.textContent} are not as wide as its head`);
    }
    for (const each of document.querySelectorAll('[aria-labelledby]'))
      if (!document.getElementById(each.getAttribute('aria-labelledby'))) out.push('a label that is not there');
    for (const svg of document.querySelectorAll('svg'))
      if (svg.getAttribute('role') !== 'img' || !svg.getAttribute('aria-label')) out.push('a picture without words');
    for (const box of document.querySelectorAll('.wide, pre'))
      if (box.tabIndex !== 0) out.push('a box that scrolls and no key reaches');
    return out;
  },

  // Elements that load something, run something or lead away.
  active() {
    return [...document.querySelectorAll(
      'script,img,link,iframe,object,embed,base,form,video,audio,image,use,foreignObject,[src],[style],[onerror],[onload],' +
      '[onclick],[onmouseover]')].map((e) => e.outerHTML)
      .concat([...document.querySelectorAll('[href]')].map((e) => e.getAttribute('href')).filter((h) => h[0] !== '#'));
  },
})
