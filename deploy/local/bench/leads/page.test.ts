import { pageOf } from './page.ts';
import type { RateResult } from './report.ts';

const latencies = { p50: 1, p99: 2, p999: 3 };
const usage = { postgres: 5, submission: 7 };
const rate: RateResult = {
  perSecond: 20,
  seconds: 1,
  sent: 20,
  accepted: 20,
  refused: {},
  answers: latencies,
  sentLateP99: 0,
  answerToWebhook: latencies,
  dueToWebhook: latencies,
  dueToSettled: latencies,
  decided: 20,
  settled: 20,
  cpuMs: usage,
  toolsCpuMs: {},
  memory: { before: usage, peak: usage, after: usage },
  samples: [
    {
      atMs: 500,
      decided: 1,
      settled: 1,
      memory: usage,
      queues: { '</script>': { waiting: 1, oldestMs: 2 } },
    },
  ],
  drained: { drainMs: 1 },
};

describe('the page of a run', () => {
  const result = { benchmark: 'leads', conditions: { cores: 2 }, measures: [], stopped: 'it <broke>' };
  const report = {
    startedAt: '2026-11-20T09:30:00Z',
    bare: {},
    bareAgain: {},
    rounds: [{ label: 'empty', rows: 0, rates: [rate] } as const].map((round) => ({
      ...round,
      rates: [rate],
    })),
  };
  const page = pageOf(result, report);

  it('holds everything that it shows, and loads nothing', () => {
    expect(page).toContain('uPlot');
    expect(page).not.toMatch(/<(?:script|link|img|iframe)[^>]*\s(?:src|href)=|@import|url\(/);
  });

  it('keeps what it is given from becoming markup', () => {
    expect(page).toContain('it &lt;broke&gt;');
    const data = /<script type="application\/json" id="data">(.*?)<\/script>/s.exec(page)?.[1] ?? '';
    const titles = JSON.parse(data).map(({ title }: { title: string }) => title);
    expect(titles).toContain('Age of the oldest in each queue at 20/s');
    expect(JSON.parse(data).at(-1).series[0].name).toBe('</script>');
  });
});
