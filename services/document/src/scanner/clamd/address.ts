import type { NetConnectOpts } from 'node:net';

/**
 * Where clamd listens, out of `tcp://host:port` or `unix:///path`; undefined for anything else, a URL with a user, a
 * query or a fragment included.
 */
export function clamdAddress(text: string): NetConnectOpts | undefined {
  if (!URL.canParse(text)) return undefined;
  const { protocol, hostname, port, pathname, username, password, search, hash } = new URL(text);
  if (username || password || search || hash) return undefined;
  if (protocol === 'unix:') {
    const path = decodeURIComponent(pathname);
    return hostname === '' && !port && path.length > 1 ? { path } : undefined;
  }
  if (protocol !== 'tcp:' || hostname === '' || port === '' || (pathname !== '' && pathname !== '/'))
    return undefined;
  // An address of the sixth version stands in brackets there, and without them here.
  return { host: hostname.replace(/^\[(.*)\]$/, '$1'), port: Number(port) };
}
