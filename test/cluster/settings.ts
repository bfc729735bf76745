import type { OutsideCertificates } from './outside.ts';
import type { PublishedRelease } from './published-release.ts';

export interface ClusterSettings {
  readonly checkout: string;
  readonly folder: string;
  /** Path of Helm. */
  readonly helm: string;
  readonly short: boolean;
  readonly keep: boolean;
  readonly on:
    | {
        /** An existing cluster that kubectl can reach, and where it gets our images. */
        readonly context: string;
        readonly registry: string;
        readonly tag: string;
      }
    | {
        /** The program of a local node: Kubernetes. */
        readonly program: string;
        /** Archive of images. */
        readonly images: string;
        readonly outside: OutsideCertificates;
        /** Path of the staff command line, installed from its package. */
        readonly sss: string;
        /** Absent where this machine has no registry. */
        readonly published: PublishedRelease | undefined;
      };
}
