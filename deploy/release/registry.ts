/** Where a release is pushed to. */
export interface Registry {
  /** With its port, where it is not the usual one. */
  readonly host: string;
  /** Below the host; empty where images lie directly there. */
  readonly path: string;
}

/** What the names of images begin with, below the registry's path; the chart has the name, too. */
const PRODUCT = 'supplier-submissions';

const HOST = /^(?:localhost|[a-z0-9-]+(?:\.[a-z0-9-]+)+|[a-z0-9.-]+(?=:))(?::[0-9]{1,5})?$/;
const PATH = /^[a-z0-9]+(?:[._/-][a-z0-9]+)*$/;

/** The registry of `HOST[:PORT][/PATH]`, in lower case, because names of images have no capitals. Throws if it is none. */
export function registryFrom(text: string): Registry {
  const [host = '', ...segments] = text.toLowerCase().replace(/\/$/, '').split('/');
  const path = segments.join('/');
  if (!HOST.test(host) || (segments.length > 0 && !PATH.test(path)))
    throw new Error(`"${text}" is no registry: give HOST[:PORT][/PATH], such as ghcr.io/owner`);
  return { host, path };
}

/** What the chart calls `image.repository`: the names of images without the registry's host and the process. */
export const repositoryIn = ({ path }: Registry): string => below(path, PRODUCT);

/** The name of a process's image, without a tag or digest. */
export const imageIn = (registry: Registry, process: string): string =>
  `${registry.host}/${repositoryIn(registry)}-${process}`;

/** What Helm pushes charts to; it adds the name of the chart. */
export const chartsIn = ({ host, path }: Registry): string => `oci://${host}/${below(path, 'charts')}`;

const below = (path: string, name: string) => (path === '' ? name : `${path}/${name}`);
