import { join } from 'node:path';
import { type Certificates, makeCertificates } from '../../deploy/local/identity/make-certificates.ts';

/**
 * Public by all registries, so that the webhook service sends there without anything being loosened, and set aside for
 * name servers that swallow questions (RFC 7535). Here they exist in namespaces without a way out alone.
 */
export const RECEIVER = { host: 'receiver.example', address: '192.31.196.10' } as const;
/** The identity provider that staff log in at. */
export const LOGIN = { host: 'login.example', address: '192.31.196.11' } as const;

/** What is outside of the cluster shows these; one authority vouches for both. */
export interface OutsideCertificates {
  readonly receiver: Certificates;
  readonly login: Certificates;
}

/** Makes the authority and both certificates, as files of `folder`. */
export async function outsideCertificates(folder: string): Promise<OutsideCertificates> {
  const at = (name: string) => join(folder, name);
  const authority = at('outside-authority.pem');
  const filesOf = (name: string) => ({ certificate: at(`${name}.pem`), key: at(`${name}-key.pem`) });
  const [receiver, login] = [filesOf('receiver'), filesOf('login')];
  await makeCertificates('outside', authority, [
    { name: RECEIVER.host, asClient: false, files: receiver },
    { name: LOGIN.host, asClient: false, files: login },
  ]);
  return { receiver: { authority, ...receiver }, login: { authority, ...login } };
}
