import { MeanHeight } from '../web/src/components/mean-height.ts';

describe('the mean height of rows', () => {
  it('is that of a row of one line before any row is measured', () => {
    expect(new MeanHeight().mean).toBe(37);
  });

  it('counts each row once, with its latest height', () => {
    const heights = new MeanHeight();
    heights.measured('a', 40);
    heights.measured('b', 80);
    heights.measured('b', 60);
    heights.measured('b', 60);
    expect(heights.mean).toBe(50);
  });
});
