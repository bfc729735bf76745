import { type EndpointId, newId } from '@supplier/lib/ids';
import { guardedClientTests, postTo, resolvingTo } from '../../testing/guarded-client-tests.ts';
import { httpsReceiver } from '../../testing/receivers.ts';
import { addressPolicy } from '../domain/address-policy.ts';

const { credentials, clientWith, receiving } = guardedClientTests();

describe('the guard', () => {
  it('refuses a private address without an allow-list, and connects to nothing', async () => {
    const receiver = await receiving(httpsReceiver(credentials(), (_request, response) => response.end()));
    const client = clientWith({ policy: addressPolicy([]) });
    expect(await postTo(client, `https://127.0.0.1:${receiver.port}/`)).toMatchObject({
      error: 'address_refused',
      resolvedIp: '127.0.0.1',
    });
    expect(receiver.connections()).toBe(0);
  });

  it('refuses a name when any of its addresses is refused', async () => {
    const receiver = await receiving(httpsReceiver(credentials(), (_request, response) => response.end()));
    const client = clientWith({ resolve: resolvingTo('127.0.0.1', '10.0.0.1') });
    expect(await postTo(client, `https://receiver.test:${receiver.port}/`)).toMatchObject({
      error: 'address_refused',
      resolvedIp: '10.0.0.1',
    });
    expect(receiver.connections()).toBe(0);
  });

  it.each(['[::1]', '[::ffff:127.0.0.1]', '[::127.0.0.1]', '2130706433', '0x7f.1'])(
    'judges the literal %s as what it is',
    async (host) => {
      const client = clientWith({ policy: addressPolicy([]) });
      expect(await postTo(client, `https://${host}:1/`)).toMatchObject({ error: 'address_refused' });
    },
  );

  it('asks once and connects to that answer: a name that answers differently afterwards leads nowhere else', async () => {
    const receiver = await receiving(httpsReceiver(credentials(), (_request, response) => response.end()));
    const answers = [['127.0.0.1'], ['10.0.0.1']];
    const asked: string[] = [];
    const client = clientWith({
      resolve: async (host) => {
        asked.push(host);
        return answers.shift() ?? [];
      },
    });
    const url = `https://receiver.test:${receiver.port}/`;
    const endpointId = newId<EndpointId>();
    expect(await postTo(client, url, endpointId)).toMatchObject({
      error: undefined,
      resolvedIp: '127.0.0.1',
    });
    expect(asked).toEqual(['receiver.test']);
    // Another endpoint has a connection of its own, for which the name is asked, and refused, again.
    expect(await postTo(client, url)).toMatchObject({ error: 'address_refused', resolvedIp: '10.0.0.1' });
    expect(receiver.connections()).toBe(1);
  });
});
