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
  it('parses variables into typed values and applies defaults', () => {
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
    [{ ...good, SSS_RANGES: '10.0.0.0/33' }, 'SSS_RANGES'],
    [{ ...good, SSS_RANGES: '300.0.0.0/8' }, 'SSS_RANGES'],
    [{ ...good, SSS_PROT: '1' }, 'unknown SSS_PROT'],
  ])('rejects %j', (env, part) => {
    expect(() => readEnvironment(shape, env)).toThrow(ConfigError);
    expect(() => readEnvironment(shape, env)).toThrow(part);
  });

  it('reports every problem in one line, without the values', () => {
    const env = { SSS_A: 's3cret', SSS_B: 'x' };
    const read = () => readEnvironment({ SSS_A: z.string().max(1, 'is too long'), SSS_C: text() }, env);
    expect(read).toThrow(/^bad configuration: [^\n]*SSS_A[^\n]*SSS_C is missing[^\n]*SSS_B[^\n]*$/);
    expect(read).not.toThrow('s3cret');
  });
});

describe('a setting with values for local deployments only', () => {
  const loose = {
    SSS_RANGES: loosened(cidrList(), (ranges) =>
      ranges.length > 0 ? 'lets everybody in' : undefined,
    ).default([]),
    SSS_COUNTS: loosened(text().optional(), (value) => (value === undefined ? 'is missing' : undefined)),
    SSS_ON: flag().default(false),
    SSS_HOST: loosened(text().default('127.0.0.1'), (_host, { SSS_ON }) => (SSS_ON ? 'is on' : undefined)),
  };
  const bad = { SSS_RANGES: '0.0.0.0/0', SSS_ON: 'true' };

  it('stops the start with a line for each such value', () => {
    const read = () => readEnvironment(loose, bad);
    expect(read).toThrow(ConfigError);
    expect(read).toThrow(
      [
        'bad configuration: SSS_RANGES lets everybody in, which requires SSS_DEPLOYMENT=local',
        'bad configuration: SSS_COUNTS is missing, which requires SSS_DEPLOYMENT=local',
        'bad configuration: SSS_HOST is on, which requires SSS_DEPLOYMENT=local',
      ].join('\n'),
    );
    expect(() => readCommandEnvironment(loose, bad)).toThrow('SSS_RANGES lets everybody in');
    expect(readEnvironment(loose, { SSS_COUNTS: 'x' })).toMatchObject({ SSS_RANGES: [] });
  });

  it('is accepted only when the deployment is exactly local', () => {
    expect(readEnvironment(loose, { ...bad, SSS_DEPLOYMENT: 'local' })).toMatchObject({
      SSS_RANGES: ['0.0.0.0/0'],
      SSS_DEPLOYMENT: 'local',
    });
    expect(readCommandEnvironment(loose, { ...bad, SSS_DEPLOYMENT: 'local' }).SSS_ON).toBe(true);
    expect(() => readEnvironment(loose, { ...bad, SSS_DEPLOYMENT: 'trial' })).toThrow('lets everybody in');
    for (const name of ['', 'Local', 'production'])
      expect(() => readEnvironment(shape, { ...good, SSS_DEPLOYMENT: name })).toThrow(
        'SSS_DEPLOYMENT is neither local nor trial',
      );
  });
});

describe('Node options', () => {
  const says = (env: Record<string, string>, execArgv: string[] = []) => {
    try {
      readEnvironment({}, env, execArgv);
      return [];
    } catch (error) {
      return (error as Error).message
        .split('\n')
        .map((line) => /^bad configuration: (.+), which requires SSS_DEPLOYMENT=local$/.exec(line)?.[1]);
    }
  };

  it.each([
    ['--inspect', 'allows a debugger to attach by --inspect'],
    ['--inspect_brk=9229', 'allows a debugger to attach by --inspect-brk'],
    ['--inspect-publish-uid=http', 'allows a debugger to attach by --inspect-publish-uid'],
    ['"--inspect-wait"', 'allows a debugger to attach by --inspect-wait'],
    ['--"inspect"', 'allows a debugger to attach by --inspect'],
    ['--no-disable-sigusr1', 'allows a debugger to attach by --no-disable-sigusr1'],
    ['--max-semi-space-size=8 --require /tmp/x.js', 'runs code that is not part of the service by --require'],
    ['-r /tmp/x.js', 'runs code that is not part of the service by -r'],
    ['--import=data:text/javascript,1', 'runs code that is not part of the service by --import'],
    ['--experimental-loader ./x.mjs', 'runs code that is not part of the service by --experimental-loader'],
    ['--tls-min-v1.0', 'allows others to read TLS traffic by --tls-min-v1.0'],
    ['--tls-keylog=/tmp/keys', 'allows others to read TLS traffic by --tls-keylog'],
    ['--tls-cipher-list=NULL', 'allows others to read TLS traffic by --tls-cipher-list'],
    ['--insecure-http-parser', 'accepts malformed HTTP requests by --insecure-http-parser'],
    ['--security-revert=CVE-1', 'reverts a security fix of Node by --security-revert'],
    ['--heapsnapshot-signal=SIGUSR2', 'writes memory, including keys, to a file by --heapsnapshot-signal'],
    ['--heap-prof', 'writes memory, including keys, to a file by --heap-prof'],
    ['--heap_prof_dir=/tmp', 'writes memory, including keys, to a file by --heap-prof-dir'],
    [
      '--report-uncaught-exception',
      'writes the environment, including passwords, to a file or the log by --report-uncaught-exception',
    ],
    [
      '--report_on_signal',
      'writes the environment, including passwords, to a file or the log by --report-on-signal',
    ],
    [
      '--report-exclude-env',
      'writes the environment, including passwords, to a file or the log by --report-exclude-env',
    ],
    ['--openssl-config=/tmp/x.cnf', 'allows others to read TLS traffic by --openssl-config'],
    ['--openssl-shared-config', 'allows others to read TLS traffic by --openssl-shared-config'],
  ])('stop the start when they include %s, in NODE_OPTIONS or on the command line', (options, what) => {
    expect(says({ NODE_OPTIONS: options })).toEqual([`NODE_OPTIONS ${what}`]);
    const words = options.replaceAll('"', '').split(' ');
    expect(says({}, words)).toEqual([`the command line of Node ${what}`]);
    expect(says({ NODE_OPTIONS: options, SSS_DEPLOYMENT: 'local' }, words)).toEqual([]);
  });

  it('may set sizes, warnings and additional authorities', () => {
    const harmless = [
      '--max-old-space-size=512',
      '--disable-warning=ExperimentalWarning',
      '--use-openssl-ca',
    ];
    expect(
      says(
        {
          NODE_OPTIONS: harmless.join(' '),
          NODE_EXTRA_CA_CERTS: '/ca.pem',
          NODE_TLS_REJECT_UNAUTHORIZED: '1',
        },
        harmless,
      ),
    ).toEqual([]);
  });

  it('are checked for commands too', () => {
    const read = () => readCommandEnvironment({}, { NODE_TLS_REJECT_UNAUTHORIZED: '0' });
    expect(read).toThrow('NODE_TLS_REJECT_UNAUTHORIZED accepts any certificate');
  });
});

describe('readCommandEnvironment', () => {
  it('ignores settings of the service, and is as strict with the rest', () => {
    const env = { ...good, SSS_OF_THE_SERVICE: 'x' };
    expect(readCommandEnvironment({ SSS_PORT: port() }, env)).toEqual({ SSS_PORT: 80 });
    expect(() => readCommandEnvironment({ SSS_PORT: port() }, { SSS_PORT: '0' })).toThrow('SSS_PORT');
    expect(() => readCommandEnvironment({ SSS_PORT: port() }, {})).toThrow('SSS_PORT is missing');
  });
});
