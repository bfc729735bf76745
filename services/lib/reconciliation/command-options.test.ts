import { readOptions } from './command-options.ts';
import { readReconcileConfig } from './config.ts';

const NOW = new Date('2026-11-20T12:00:00.000Z');
const SINCE = '2026-11-20T10:00:00Z';

describe('the arguments of the reconciliation', () => {
  it('are a span of time that ends a minute ago by default', () => {
    expect(readOptions(['--since', SINCE], NOW)).toEqual({
      help: false,
      json: false,
      span: { since: new Date(SINCE), until: new Date('2026-11-20T11:59:00.000Z') },
    });
    expect(readOptions(['--since', SINCE, '--until', '2026-11-20T11:00:00Z', '--json'], NOW)).toMatchObject({
      json: true,
      span: { until: new Date('2026-11-20T11:00:00Z') },
    });
  });

  it('reach back exactly as far as changes are listed', () => {
    expect(readOptions(['--since', '2026-11-13T12:00:00.000Z'], NOW).span.since).toEqual(
      new Date('2026-11-13T12:00:00Z'),
    );
    expect(() => readOptions(['--since', '2026-11-13T11:59:59.999Z'], NOW)).toThrow(
      'more than seven days ago',
    );
  });

  it.each<[string, string[], string]>([
    ['no time', [], '--since is missing'],
    ['a time without a zone', ['--since', '2026-11-20T10:00:00'], '--since is not a UTC time'],
    ['a bad end', ['--since', SINCE, '--until', 'now'], '--until is not a UTC time'],
    [
      'an end before the beginning',
      ['--since', SINCE, '--until', '2026-11-20T09:00:00Z'],
      'not before --until',
    ],
    ['a beginning in the last minute', ['--since', '2026-11-20T11:59:30Z'], 'not before --until'],
    ['an unknown option', ['--since', SINCE, '--fix'], 'an argument is unknown'],
    ['an option without its value', ['--since'], 'lacks its value'],
    ['a stray word', ['--since', SINCE, 'now'], 'an argument is unknown'],
  ])('are refused with %s', (_, args, message) => {
    expect(() => readOptions(args, NOW)).toThrow(message);
  });

  it('come with the part of the service’s configuration that is needed', () => {
    const env = {
      SSS_DEPLOYMENT: 'local',
      SSS_DATABASE_URL: 'postgresql://localhost/webhook',
      SSS_SUBMISSION_URL: 'http://127.0.0.1:1/',
      SSS_SERVICE_TOKEN_DIR: '/tokens',
      SSS_NATS_URL: 'nats://127.0.0.1',
    };
    expect(readReconcileConfig(env)).toEqual({
      databaseUrl: 'postgresql://localhost/webhook',
      submissionUrl: 'http://127.0.0.1:1',
      serviceTokenDir: '/tokens',
      tls: {},
    });
    expect(() => readReconcileConfig({ ...env, SSS_SUBMISSION_URL: undefined })).toThrow(
      'SSS_SUBMISSION_URL',
    );
  });
});
