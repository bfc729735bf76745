import { SAMPLE_SUPPLIERS } from './sample-suppliers.ts';

it('sample suppliers have shares that add up to 100', () => {
  const shares = Object.values(SAMPLE_SUPPLIERS).map(({ share }) => share);
  expect(shares.reduce((sum, share) => sum + share, 0)).toBe(100);
});
