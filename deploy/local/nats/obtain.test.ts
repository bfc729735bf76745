import { describeServer, obtainNatsServer } from './obtain.ts';
import type { NatsServer, Source } from './source.ts';

const server = (from: string, version: NatsServer['version'] = [2, 12, 3]): NatsServer => ({
  path: '/tools/nats-server',
  version,
  from,
});

describe('obtainNatsServer', () => {
  it('takes the first source that has one and asks no further', async () => {
    const asked: string[] = [];
    const source = (name: string, found?: NatsServer): Source => ({
      name,
      find: async () => {
        asked.push(name);
        return found;
      },
    });
    const sources = [
      source('PATH'),
      source('go install', server('go install')),
      source('Debian', server('Debian')),
    ];
    expect(await obtainNatsServer(sources)).toMatchObject({ from: 'go install' });
    expect(asked).toEqual(['PATH', 'go install']);
  });

  it('says in one line what to install when there is none', async () => {
    await expect(obtainNatsServer([])).rejects.toThrow(
      /^no nats-server: [^\n]*PATH[^\n]*Go[^\n]*apt-get update[^\n]*$/,
    );
  });
});

describe('describeServer', () => {
  it('says what was taken from where, and what it lacks', () => {
    expect(describeServer(server('PATH'))).toBe('nats-server 2.12.3 from PATH (/tools/nats-server)');
    expect(describeServer(server("Debian's package", [2, 9, 10]))).toMatch(
      /2\.9\.10 from Debian's.*lacks sync_interval/,
    );
  });
});
