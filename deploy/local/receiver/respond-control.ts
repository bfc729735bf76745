/** An order to answer a supplier's next events with a status of the tester's choice. */
export interface RespondOrder {
  readonly supplier: string;
  readonly status: number;
  readonly times: number;
}

export interface RespondControl {
  /** Replaces what was ordered for the supplier before. */
  order(order: RespondOrder): void;
  /** The status for the supplier's next event, or undefined when nothing is ordered; uses one up. */
  next(supplier: string): number | undefined;
}

export function createRespondControl(): RespondControl {
  const orders = new Map<string, { status: number; left: number }>();
  return {
    order({ supplier, status, times }) {
      if (times === 0) orders.delete(supplier);
      else orders.set(supplier, { status, left: times });
    },
    next(supplier) {
      const current = orders.get(supplier);
      if (!current) return undefined;
      current.left -= 1;
      if (current.left === 0) orders.delete(supplier);
      return current.status;
    },
  };
}

const MAX_TIMES = 100_000;

/**
 * Reads an order out of JSON: `{"supplier": NAME, "respond": {"status": 200-599, "times": 0-100000}}`; times 0 takes
 * an earlier order back. Answers with a sentence when it is not one.
 */
export function readRespondOrder(text: string, suppliers: readonly string[]): RespondOrder | string {
  const value = parse(text);
  if (!isRecord(value)) return 'the body must be a JSON object';
  const unknown = unknownKeys(value, ['supplier', 'respond']);
  if (unknown) return unknown;
  const { supplier, respond } = value;
  if (typeof supplier !== 'string' || !suppliers.includes(supplier))
    return `supplier must be one of ${suppliers.join(', ')}`;
  if (!isRecord(respond)) return 'respond must be an object';
  const { status, times } = respond;
  const odd = unknownKeys(respond, ['status', 'times']);
  if (odd) return odd;
  if (!isWhole(status, 200, 599)) return 'respond.status must be a whole number between 200 and 599';
  if (!isWhole(times, 0, MAX_TIMES)) return `respond.times must be a whole number between 0 and ${MAX_TIMES}`;
  return { supplier, status, times };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function unknownKeys(value: Record<string, unknown>, known: readonly string[]): string | undefined {
  const odd = Object.keys(value).find((key) => !known.includes(key));
  return odd === undefined ? undefined : `there is nothing named ${JSON.stringify(odd.slice(0, 40))} to set`;
}

function isWhole(value: unknown, least: number, most: number): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most;
}
