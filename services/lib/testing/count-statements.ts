import type pg from 'pg';

/**
 * Counts the statements sent through a pool or connection. The returned function stops counting and returns the count.
 */
export function countStatements(on: pg.Pool | pg.PoolClient): () => number {
  const original = on.query;
  let count = 0;
  const counting = (...args: unknown[]) => {
    count += 1;
    return Reflect.apply(original, on, args);
  };
  Object.defineProperty(on, 'query', { value: counting, configurable: true, writable: true });
  return () => {
    Reflect.deleteProperty(on, 'query');
    return count;
  };
}
