// Runs Lighthouse in a process of its own: it is an ES module, and Jest runs CommonJS. Reads one
// argument as JSON, and writes the scores to standard output as JSON.
import { desktopConfig, navigation, snapshot } from 'lighthouse';
import { connect } from 'puppeteer-core';

const { port, mode, url, categories } = JSON.parse(process.argv[2]);

const AS_IT_IS = {
  formFactor: 'mobile',
  screenEmulation: { disabled: true },
  throttlingMode: 'provided',
};

const browser = await connect({ browserURL: `http://127.0.0.1:${port}`, defaultViewport: null });
try {
  const { lhr } = await (mode === 'snapshot' ? readPage() : loadPage());
  const scores = Object.values(lhr.categories).map(({ id, score }) => [
    id,
    Math.round(score * 100),
  ]);
  const failures = Object.values(lhr.categories)
    .flatMap(({ auditRefs }) => auditRefs)
    .filter(({ id, weight }) => weight > 0 && failed(lhr.audits[id]))
    .map(({ id }) => `${id}: ${lhr.audits[id].title}`);
  process.stdout.write(JSON.stringify({ scores: Object.fromEntries(scores), failures }));
} finally {
  await browser.disconnect();
}

/** The page as it stands. */
async function readPage() {
  const pages = await Promise.all(browser.browserContexts().map((context) => context.pages()));
  const page = pages.flat().find((one) => one.url() === url);
  if (page === undefined) throw new Error(`no page shows ${url}`);
  return snapshot(page, { flags: { onlyCategories: categories, ...AS_IT_IS } });
}

/** A load in a new page. */
async function loadPage() {
  const context = await browser.createBrowserContext();
  const page = await context.newPage();
  const config = mode === 'desktop' ? desktopConfig : undefined;
  const result = await navigation(page, url, { config, flags: { onlyCategories: categories } });
  await context.close();
  return result;
}

function failed({ score, scoreDisplayMode }) {
  return score !== 1 && !['notApplicable', 'informative', 'manual'].includes(scoreDisplayMode);
}
