import { Environment } from '@supplier/proto/common/v1/status';
import { credentialLimit, failureLimit, listenerLimit } from './limit.ts';

/** Every limit of one sender. */
function keysIn(environment: Environment, ip = '192.0.2.1'): string[] {
  const own = { environment, writesPerMinute: 1, readsPerMinute: 1, addressPerMinute: 1 };
  const usual = { ...own, failedAuthentications: 1 };
  const credential = { credentialId: 'c' };
  return [
    listenerLimit(usual, 'api', { ip }),
    listenerLimit(usual, 'pages', { ip }),
    failureLimit(usual, ip),
    credentialLimit(usual, {}, credential, 'read'),
    credentialLimit(usual, {}, credential, 'write'),
  ].map(({ key }) => key);
}

it('each limit of a sender is counted separately, and separately for each environment', () => {
  const keys = [Environment.SANDBOX, Environment.PRODUCTION].flatMap((one) => keysIn(one));
  expect(new Set(keys).size).toBe(10);
});

it('addresses of one IPv6 /64 share each limit', () => {
  const [keys, others] = ['2001:db8::1', '2001:db8::2'].map((ip) => keysIn(Environment.SANDBOX, ip));
  expect(others).toEqual(keys);
});
