import { showDocument } from './document-job.ts';
import { sampleDocument } from './sample-document.ts';
import { type Stage, stepsOn } from './stage.ts';

/** Runs the demonstration for a file with `statuses` in turn; resolves to the output and whether it passed. */
async function shown(statuses: string[]) {
  const said: string[] = [];
  const terminal = { say: (line: string) => void said.push(line), warn: () => {} };
  const answer = (status: number, body: object) => Promise.resolve({ status, text: JSON.stringify(body) });
  const sandbox = {
    create: () => answer(202, {}),
    uploadUrl: () => answer(200, { document_id: 'id', upload_url: 'http://store' }),
    put: () => answer(200, {}),
    finalize: () =>
      answer(200, { scan_status: statuses.length > 1 ? statuses.shift() : statuses[0], document_id: 'id' }),
  };
  const held = await showDocument({ sandbox } as unknown as Stage, stepsOn(terminal));
  return { held, text: said.join('\n') };
}

describe('the document demonstration', () => {
  it('passes when the document is scanned and found clean', async () => {
    expect((await shown(['pending_scan', 'pending_scan', 'clean'])).held).toBe(true);
  });

  it('fails when it is not', async () => {
    expect((await shown(['pending_scan', 'infected'])).held).toBe(false);
  });
});

describe('the sample document', () => {
  it('is a PDF whose cross-reference table points at its objects', () => {
    const text = sampleDocument().toString('latin1');
    const places = [...text.matchAll(/^(\d{10}) 00000 n $/gm)].map(([, place]) => Number(place));
    expect(places).toHaveLength(5);
    for (const [index, place] of places.entries())
      expect(text.slice(place)).toMatch(new RegExp(`^${index + 1} 0 obj`));
    expect(text.slice(Number(/startxref\n(\d+)/.exec(text)?.[1]))).toMatch(/^xref/);
  });
});
