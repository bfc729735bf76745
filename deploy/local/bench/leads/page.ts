import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type BenchResult, describeResult } from '../result.ts';
import { type Plot, plotsOf } from './plots.ts';
import type { LeadsReport } from './report.ts';

const require = createRequire(import.meta.url);

/** One page of HTML with the pictures and the table of a run. Everything is in it: it loads nothing. */
export function pageOf(result: BenchResult, report: LeadsReport): string {
  const conditions = Object.entries(result.conditions).map(([name, value]) => `${name} ${value}`);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Leads, ${escaped(report.startedAt)}</title>
<style>${library('uPlot.min.css')}${STYLE}</style>
</head>
<body>
<h1>Leads through the whole stack</h1>
<p>${escaped(report.startedAt)}: ${escaped(conditions.join(', '))}</p>
${result.stopped === undefined ? '' : `<p class="stopped">Ended early: ${escaped(result.stopped)}</p>`}
<main id="plots"></main>
<h2>All figures</h2>
<pre>${escaped(describeResult(result))}</pre>
<script type="application/json" id="data">${dataOf(plotsOf(report))}</script>
<script>${library('uPlot.iife.min.js')}</script>
<script>${readFileSync(new URL('draw-plots.js', import.meta.url), 'utf8')}</script>
</body>
</html>
`;
}

const STYLE = `
body { font: 14px system-ui, sans-serif; margin: 24px auto; max-width: 1240px; color: #1b1f24; }
h1 { font-size: 22px; } h2 { font-size: 17px; }
main { display: grid; grid-template-columns: repeat(auto-fill, 600px); gap: 28px 36px; }
figure { margin: 0; } figcaption { font-weight: 600; margin-bottom: 6px; }
.u-legend { font-size: 12px; text-align: left; }
.stopped { color: #b3261e; font-weight: 600; }
pre { font-size: 12px; overflow-x: auto; }`;

const library = (file: string) => readFileSync(require.resolve(`uplot/dist/${file}`), 'utf8');

/** JSON that cannot end the element it stands in. */
const dataOf = (plots: readonly Plot[]) => JSON.stringify(plots).replaceAll('<', '\\u003c');

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
