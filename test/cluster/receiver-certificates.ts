import { join } from 'node:path';
import { type Certificates, makeCertificates } from '../../deploy/local/identity/make-certificates.ts';

/**
 * Public by all registries, so that the webhook service sends there without anything being loosened, and set aside for
 * name servers that swallow questions (RFC 7535). Here it exists in namespaces without a way out alone.
 */
export const RECEIVER = { host: 'receiver.example', address: '192.31.196.10' } as const;

/** Makes the authority and the certificate of the receiver of webhooks, as files of `folder`. */
export async function receiverCertificates(folder: string): Promise<Certificates> {
  const at = (name: string) => join(folder, name);
  const files = { certificate: at('receiver.pem'), key: at('receiver-key.pem') };
  const authority = at('receiver-authority.pem');
  await makeCertificates('receiver of webhooks', authority, [
    { name: RECEIVER.host, asClient: false, files },
  ]);
  return { authority, ...files };
}
