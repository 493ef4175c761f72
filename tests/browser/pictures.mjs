// Pictures on pages of their own in a real browser: node pictures.mjs ODDSMITH EXAMPLES CHROMIUM
// Reports are looked at by reports.mjs; these are the pictures that commands draw beside them.

import fs from 'node:fs';
import path from 'node:path';
import { accessible, check, folder, ids, layout, oddsmith, open, run } from './page.mjs';
import { MODELS, PICTURES, page as written } from './drawings.mjs';

await run('pictures', async browser => {
  for (const [model, words] of Object.entries(MODELS)) oddsmith('fit', ...words, '-o', model, '-q');
  const themes = {};
  for (const theme of ['light', 'dark']) themes[theme] = await open(browser, undefined, { colorScheme: theme });
  for (const [name, words] of Object.entries(PICTURES)) {
    const file = path.join(folder, 'picture.html');
    written(oddsmith, words, file, fs.writeFileSync);
    for (const [theme, { page, seen, visit }] of Object.entries(themes)) {
      seen.requests.length = seen.messages.length = 0;
      await page.setViewportSize({ width: 1180, height: 900 });
      await visit(file);
      check(name, 'one request', seen.requests.length === 1, seen.requests.join(' '));
      const drawn = await page.$$eval('svg.fig', list => list.filter(svg => svg.getClientRects().length).length);
      check(name, 'it is drawn once at each width', drawn === 1, drawn);
      const twice = await ids(page);
      check(name, 'ids are unique', twice.length === 0, twice.join());
      // Last the narrow screen, on which the page stays for the dark theme; the wide one is looked at in the light.
      await layout(page, `${name}, ${theme}`);
      if (theme === 'light') await page.setViewportSize({ width: 1180, height: 900 });
      await accessible(page, name, theme);
      check(name, 'nothing on the console', seen.messages.length === 0, seen.messages.join(' | '));
    }
  }
  return Object.keys(PICTURES).length;
});
