const POUNDS = /^(\d{1,5})(?:\.(\d\d))?$/;
const MAX_PENCE = 1_000_000;

/** Parses an amount in pounds into whole pence. Returns undefined for invalid input. */
export function penceOf(pounds: string): number | undefined {
  const [, whole, pence = '00'] = POUNDS.exec(pounds.trim()) ?? [];
  const amount = Number(whole) * 100 + Number(pence);
  return amount <= MAX_PENCE ? amount : undefined;
}
