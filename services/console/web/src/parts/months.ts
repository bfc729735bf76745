const MONTH = /^(\d{4})-(0[1-9]|1[0-2])$/;

/** Returns the present month in UTC: "2026-11". */
export const thisMonth = (): string => new Date().toISOString().slice(0, 7);

/** Returns the month `count` months before another, or after it if `count` is negative. */
export function monthsBefore(month: string, count: number): string {
  const [, year, number] = MONTH.exec(month) ?? [];
  return new Date(Date.UTC(Number(year), Number(number) - 1 - count, 1)).toISOString().slice(0, 7);
}

export const isMonth = (text: string): boolean => MONTH.test(text);
