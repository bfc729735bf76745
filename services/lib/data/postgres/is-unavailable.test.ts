import { isUnavailable } from './index.ts';

const withCode = (code: string) => Object.assign(new Error('x'), { code });

describe('isUnavailable', () => {
  it.each([
    withCode('ECONNREFUSED'),
    withCode('57P01'),
    withCode('25006'),
    withCode('25P03'),
    withCode('57P05'),
    withCode('ENETUNREACH'),
    withCode('53100'),
    withCode('53200'),
    withCode('58030'),
    withCode('58P01'),
    Object.assign(new Error('prisma'), { cause: { kind: 'postgres', code: '25006' } }),
    withCode('P1001'),
    new Error('Connection terminated unexpectedly'),
    new Error('timeout exceeded when trying to connect'),
    new Error('Client has encountered a connection error and is not queryable'),
    new Error('wrapped', { cause: withCode('ECONNRESET') }),
    Object.assign(new Error('prisma'), {
      meta: { driverAdapterError: { cause: { originalCode: '57P03' } } },
    }),
  ])('treats %p as an unavailable database', (error) => {
    expect(isUnavailable(error)).toBe(true);
  });

  it.each([
    withCode('23505'),
    withCode('25P02'),
    withCode('580000'),
    new Error('x'),
    'ECONNREFUSED',
    undefined,
    null,
    new TypeError('bug'),
  ])('does not treat %p as an unavailable database', (error) => {
    expect(isUnavailable(error)).toBe(false);
  });
});
