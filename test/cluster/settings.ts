import type { OutsideCertificates } from './outside-certificates.ts';
import type { PublishedRelease } from './published-release.ts';

/** A local node, with the artefacts made for it. */
export interface OwnNode {
  /** Path of Kubernetes. */
  readonly program: string;
  /** Archive of images. */
  readonly images: string;
  readonly outside: OutsideCertificates;
  /** Path of the staff command line, installed from its package. */
  readonly sss: string;
  /** Absent where this machine has no registry. */
  readonly published: PublishedRelease | undefined;
}

export interface ClusterSettings {
  readonly checkout: string;
  readonly folder: string;
  /** Path of Helm. */
  readonly helm: string;
  readonly short: boolean;
  readonly keep: boolean;
  /** A local node, or an existing cluster that kubectl can reach, and where it gets our images. */
  readonly on: OwnNode | { readonly context: string; readonly registry: string; readonly tag: string };
}
