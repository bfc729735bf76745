export interface Registry {
  /** With its port, if any. */
  readonly host: string;
  /** May be empty. */
  readonly path: string;
}

/** The prefix of image names. */
const PRODUCT = 'supplier-submissions';

const HOST = /^(?:localhost|[a-z0-9-]+(?:\.[a-z0-9-]+)+|[a-z0-9.-]+(?=:))(?::[0-9]{1,5})?$/;
const PATH = /^[a-z0-9]+(?:[._/-][a-z0-9]+)*$/;

/** Parses `HOST[:PORT][/PATH]`, in lower case, because image names have no capitals. Throws if it isn't a registry. */
export function registryFrom(text: string): Registry {
  const [host = '', ...segments] = text.toLowerCase().replace(/\/$/, '').split('/');
  const path = segments.join('/');
  if (!HOST.test(host) || (segments.length > 0 && !PATH.test(path)))
    throw new Error(`"${text}" is not a registry: use HOST[:PORT][/PATH], such as ghcr.io/owner`);
  return { host, path };
}

/** The chart's `image.repository`. */
export const repositoryIn = ({ path }: Registry): string => below(path, PRODUCT);

/** An image's name without tag and digest. */
export const imageIn = (registry: Registry, process: string): string =>
  `${registry.host}/${repositoryIn(registry)}-${process}`;

/** Returns the location for Helm's chart pushes. */
export const chartsIn = ({ host, path }: Registry): string => `oci://${host}/${below(path, 'charts')}`;

const below = (path: string, name: string) => (path === '' ? name : `${path}/${name}`);
