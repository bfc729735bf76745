import { join } from 'node:path';
import { type Certificates, makeCertificates } from '../../deploy/local/identity/make-certificates.ts';
import { OUTSIDE, type OutsideName } from './outside.ts';

export type OutsideCertificates = Readonly<Record<OutsideName, Certificates>>;

/** Creates certificates of the outside hosts, from one authority, as files in `folder`. */
export async function outsideCertificates(folder: string): Promise<OutsideCertificates> {
  const at = (name: string) => join(folder, `outside-${name}.pem`);
  const authority = at('authority');
  const orders = Object.entries(OUTSIDE).map(([name, { host }]) => ({
    ...{ name: host, asClient: false },
    files: { authority, certificate: at(name), key: at(`${name}-key`) },
  }));
  await makeCertificates('outside', authority, orders);
  const [receiver, login, store] = orders.map(({ files }) => files) as [
    Certificates,
    Certificates,
    Certificates,
  ];
  return { receiver, login, store };
}
