import { broken, drill } from '../harness/drill.ts';

/** It takes a minute on an idle machine, and several times that beside the stack under test on a busy one. */
const DRILL_MS = 400_000;

describe('a full loss and point-in-time restore', () => {
  it(
    'earlier submissions are present, decided, billed once and reported, and later ones are accepted once when sent again',
    async () => {
      const drilled = await drill('restore', DRILL_MS);
      expect({ broken: broken(drilled), progress: drilled.held ? '' : drilled.progress }).toEqual({
        broken: [],
        progress: '',
      });
      expect(drilled.findings.length).toBeGreaterThan(15);
    },
    DRILL_MS + 10_000,
  );
});
