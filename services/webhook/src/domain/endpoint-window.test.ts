import { NEW_WINDOW, windowAfter } from './endpoint-window.ts';

describe('the window of an endpoint', () => {
  it('begins with one attempt and doubles with every success up to its bound', () => {
    const sizes = [NEW_WINDOW.size];
    let window = NEW_WINDOW;
    for (let success = 0; success < 5; success += 1) {
      window = windowAfter(window, true, 8);
      sizes.push(window.size);
    }
    expect(sizes).toEqual([1, 2, 4, 8, 8, 8]);
  });

  it('falls back to one with a failure, and recovers with the next success', () => {
    const failed = windowAfter({ size: 8, standing: 'proven' }, false, 8);
    expect(failed).toEqual({ size: 1, standing: 'failing' });
    expect(windowAfter(failed, true, 8)).toEqual({ size: 2, standing: 'proven' });
  });
});
