import type pg from 'pg';

/** Wraps a pool: `see` receives each statement before it is sent, and fails it by throwing. */
export const seeingStatements =
  (see: (statement: pg.QueryConfig) => void) =>
  (pool: pg.Pool): pg.Pool =>
    new Proxy(pool, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== 'function') return value;
        if (name !== 'query') return value.bind(target);
        return async (...given: [pg.QueryConfig]) => {
          see(given[0]);
          return Reflect.apply(value, target, given);
        };
      },
    });
