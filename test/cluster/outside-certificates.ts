import { join } from 'node:path';
import { type Certificates, makeCertificates } from '../../deploy/local/identity/make-certificates.ts';

/** Public addresses, to which webhooks may be sent, from a block that has no other use (RFC 7535). */
export const RECEIVER = { host: 'receiver.example', address: '192.31.196.10' } as const;
/** The identity provider for staff logins. */
export const LOGIN = { host: 'login.example', address: '192.31.196.11' } as const;

/** The S3 store of the production install. */
export const STORE = { host: 's3.example', address: '192.31.196.12' } as const;

/** Certificates of hosts outside the cluster, from one authority. */
export type OutsideCertificates = Readonly<Record<'receiver' | 'login' | 'store', Certificates>>;

/** Creates the authority and the certificates as files in `folder`. */
export async function outsideCertificates(folder: string): Promise<OutsideCertificates> {
  const at = (name: string) => join(folder, name);
  const authority = at('outside-authority.pem');
  const filesOf = (name: string) => ({ certificate: at(`${name}.pem`), key: at(`${name}-key.pem`) });
  const [receiver, login, store] = [filesOf('receiver'), filesOf('login'), filesOf('store')];
  await makeCertificates('outside', authority, [
    { name: RECEIVER.host, asClient: false, files: receiver },
    { name: LOGIN.host, asClient: false, files: login },
    { name: STORE.host, asClient: false, files: store },
  ]);
  return {
    receiver: { authority, ...receiver },
    login: { authority, ...login },
    store: { authority, ...store },
  };
}
