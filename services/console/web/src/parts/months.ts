const MONTH = /^(\d{4})-(0[1-9]|1[0-2])$/;

/** The month that is now, in UTC: "2026-11". */
export const thisMonth = (): string => new Date().toISOString().slice(0, 7);

/** The month so many before another one; after it where that is below zero. */
export function monthsBefore(month: string, count: number): string {
  const [, year, number] = MONTH.exec(month) ?? [];
  return new Date(Date.UTC(Number(year), Number(number) - 1 - count, 1)).toISOString().slice(0, 7);
}

export const isMonth = (text: string): boolean => MONTH.test(text);
