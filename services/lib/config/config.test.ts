import { z } from 'zod';
import {
  ConfigError,
  cidrList,
  flag,
  httpUrl,
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
const good = { SSS_PORT: '80', SSS_URL: 'http://127.0.0.1:1/' };

describe('readEnvironment', () => {
  it('turns variables into typed values and fills in defaults', () => {
    expect(readEnvironment(shape, { ...good, PATH: '/bin' })).toEqual({
      SSS_PORT: 80,
      SSS_URL: 'http://127.0.0.1:1',
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

describe('readCommandEnvironment', () => {
  it('leaves alone what is meant for the service beside it, and is as strict with the rest', () => {
    const env = { ...good, SSS_OF_THE_SERVICE: 'x' };
    expect(readCommandEnvironment({ SSS_PORT: port() }, env)).toEqual({ SSS_PORT: 80 });
    expect(() => readCommandEnvironment({ SSS_PORT: port() }, { SSS_PORT: '0' })).toThrow('SSS_PORT');
    expect(() => readCommandEnvironment({ SSS_PORT: port() }, {})).toThrow('SSS_PORT is missing');
  });
});
