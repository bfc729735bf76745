import { z } from 'zod';
import { loosened } from './deployment.ts';

/** An http or https base URL, without a trailing slash. Only https outside a local deployment. */
export const httpUrl = () =>
  loosened(
    urlOf(['http:', 'https:']).transform((text) => text.replace(/\/$/, '')),
    unprotected,
  );

/** A URL where people reach us: https, or http on localhost. Without a trailing slash. */
export const reachedUrl = () =>
  loosened(
    urlText(['http:', 'https:']).transform((text) => text.replace(/\/$/, '')),
    (text) => (new URL(text).hostname === 'localhost' ? undefined : unprotected(text)),
  );

/** A URL with one of the given protocols. Outside a local deployment it must use verified TLS. */
export const urlOf = (protocols: readonly string[]) => loosened(urlText(protocols), unprotected);

const urlText = (protocols: readonly string[]) =>
  z
    .string()
    .refine(
      (text) => URL.canParse(text) && protocols.includes(new URL(text).protocol),
      `is not a URL with ${protocols.join(' or ')}`,
    );

/** The address of a PostgreSQL database. Outside a local deployment its server's certificate must be verified. */
export const postgresUrl = () => urlOf(['postgres:', 'postgresql:']);

/** Describes why others on the network could read and change traffic to this address; undefined if they can't. */
function unprotected(text: string): string | undefined {
  const { protocol, searchParams } = new URL(text);
  switch (protocol) {
    case 'http:':
    case 'nats:':
      return `is a plain ${protocol} address`;
    case 'postgres:':
    case 'postgresql:': {
      // If there are several, the driver decides which one counts.
      const [mode, ...others] = searchParams.getAll('sslmode');
      return mode === 'verify-full' && others.length === 0 ? undefined : 'lacks sslmode=verify-full';
    }
    default:
      return undefined;
  }
}
