import { z } from 'zod';
import {
  ConfigError,
  cidrList,
  flag,
  httpUrl,
  loosened,
  port,
  readCommandEnvironment,
  readEnvironment,
  text,
} from './index.ts';

const shape = {
  SSS_PORT: port(),
  SSS_URL: httpUrl(),
  SSS_ON: flag().default(false),
  SSS_RANGES: cidrList().default([]),
};
const good = { SSS_PORT: '80', SSS_URL: 'https://127.0.0.1:1/' };

describe('readEnvironment', () => {
  it('turns variables into typed values and fills in defaults', () => {
    expect(readEnvironment(shape, { ...good, PATH: '/bin' })).toEqual({
      SSS_PORT: 80,
      SSS_URL: 'https://127.0.0.1:1',
      SSS_ON: false,
      SSS_RANGES: [],
    });
    expect(
      readEnvironment({ SSS_RANGES: cidrList() }, { SSS_RANGES: '127.0.0.0/8, ::1/128' }).SSS_RANGES,
    ).toEqual(['127.0.0.0/8', '::1/128']);
  });

  it.each([
    [{ ...good, SSS_PORT: '0' }, 'SSS_PORT'],
    [{ ...good, SSS_PORT: '80x' }, 'SSS_PORT'],
    [{ SSS_URL: good.SSS_URL }, 'SSS_PORT is missing'],
    [{ ...good, SSS_URL: 'ftp://x' }, 'SSS_URL'],
    [{ ...good, SSS_ON: 'yes' }, 'SSS_ON'],
    [{ ...good, SSS_RANGES: 'everywhere' }, 'SSS_RANGES'],
    [{ ...good, SSS_PROT: '1' }, 'unknown SSS_PROT'],
  ])('stops the start on %j', (env, part) => {
    expect(() => readEnvironment(shape, env)).toThrow(ConfigError);
    expect(() => readEnvironment(shape, env)).toThrow(part);
  });

  it('says everything that is wrong in one line, without the values', () => {
    const env = { SSS_A: 's3cret', SSS_B: 'x' };
    const read = () => readEnvironment({ SSS_A: z.string().max(1, 'is too long'), SSS_C: text() }, env);
    expect(read).toThrow(/^bad configuration: [^\n]*SSS_A[^\n]*SSS_C is missing[^\n]*SSS_B[^\n]*$/);
    expect(read).not.toThrow('s3cret');
  });
});

describe('a loosened setting', () => {
  const loose = {
    SSS_RANGES: loosened(cidrList(), (ranges) =>
      ranges.length > 0 ? 'lets everybody in' : undefined,
    ).default([]),
    SSS_COUNTS: loosened(text().optional(), (value) => (value === undefined ? 'is missing' : undefined)),
    SSS_ON: flag().default(false),
    SSS_HOST: loosened(text().default('127.0.0.1'), (_host, { SSS_ON }) => (SSS_ON ? 'is on' : undefined)),
  };
  const bad = { SSS_RANGES: '0.0.0.0/0', SSS_ON: 'true' };

  it('stops the start with a line of its own', () => {
    const read = () => readEnvironment(loose, bad);
    expect(read).toThrow(ConfigError);
    expect(read).toThrow(
      [
        'bad configuration: SSS_RANGES lets everybody in, which SSS_DEPLOYMENT=local alone permits',
        'bad configuration: SSS_COUNTS is missing, which SSS_DEPLOYMENT=local alone permits',
        'bad configuration: SSS_HOST is on, which SSS_DEPLOYMENT=local alone permits',
      ].join('\n'),
    );
    expect(() => readCommandEnvironment(loose, bad)).toThrow('SSS_RANGES lets everybody in');
    expect(readEnvironment(loose, { SSS_COUNTS: 'x' })).toMatchObject({ SSS_RANGES: [] });
  });

  it('is taken in a local deployment, and there is no other name for one', () => {
    expect(readEnvironment(loose, { ...bad, SSS_DEPLOYMENT: 'local' })).toMatchObject({
      SSS_RANGES: ['0.0.0.0/0'],
      SSS_DEPLOYMENT: 'local',
    });
    expect(readCommandEnvironment(loose, { ...bad, SSS_DEPLOYMENT: 'local' }).SSS_ON).toBe(true);
    for (const name of ['', 'Local', 'production'])
      expect(() => readEnvironment(shape, { ...good, SSS_DEPLOYMENT: name })).toThrow(
        'SSS_DEPLOYMENT is not local',
      );
  });
});

describe('readCommandEnvironment', () => {
  it('leaves alone what is meant for the service beside it, and is as strict with the rest', () => {
    const env = { ...good, SSS_OF_THE_SERVICE: 'x' };
    expect(readCommandEnvironment({ SSS_PORT: port() }, env)).toEqual({ SSS_PORT: 80 });
    expect(() => readCommandEnvironment({ SSS_PORT: port() }, { SSS_PORT: '0' })).toThrow('SSS_PORT');
    expect(() => readCommandEnvironment({ SSS_PORT: port() }, {})).toThrow('SSS_PORT is missing');
  });
});
