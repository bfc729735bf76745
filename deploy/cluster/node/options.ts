export interface NodeOptions {
  /** Path of a kubeconfig; its user may do everything. */
  readonly kubeconfig: string;
  /** Everything of the pods lies in it; removed by `stop()`. */
  readonly stateFolder: string;
  /** By full image reference, as a pod's spec has it. */
  readonly images: ReadonlyMap<string, ImageFiles>;
  /** Host names beyond the cluster's own Services, and the IPv4 addresses that pods resolve them to. */
  readonly names?: ReadonlyMap<string, string>;
  readonly log: (line: string) => void;
}

/** What an image reference stands for: how its processes are started from files of this machine. */
export interface ImageFiles {
  /** As the image's ENTRYPOINT. */
  readonly entrypoint: readonly string[];
  /** As its CMD. */
  readonly command: readonly string[];
  /** Folder of this machine that is its WORKDIR: seen where `mounts` put it, else read-only under its own path. */
  readonly folder: string;
  /** Its ENV, PATH included. */
  readonly environment: Readonly<Record<string, string>>;
  /**
   * Files and folders of this machine that its containers see, read-only, beside the machine's /usr, /bin, /sbin and /lib.
   * Nothing else of the machine is visible in a container.
   */
  readonly mounts?: readonly { readonly source: string; readonly target: string }[];
  /** Its USER where a pod says nothing; root if absent. */
  readonly user?: number;
  readonly group?: number;
}

/** A connection that a client made through a Service. */
export interface SeenConnection {
  /** The pod it came from; absent where it came from the node itself. */
  readonly from?: {
    readonly namespace: string;
    readonly name: string;
    readonly labels: Readonly<Record<string, string>>;
  };
  readonly to: {
    readonly namespace: string;
    readonly service: string;
    readonly port: number;
    /** The pod that answered, and the port in it. */
    readonly pod: string;
    readonly targetPort: number;
    readonly labels: Readonly<Record<string, string>>;
  };
  /** How many endpoints had refused it before another took it; absent where none had. */
  readonly refused?: number;
  /** How many such connections there were. */
  readonly count: number;
}

export interface RunningNode {
  readonly name: string;
  /** What a container has written, over all its restarts; what is larger than 16 MiB is cut off. Empty if nothing is known of it. */
  podLog(namespace: string, pod: string, container: string): Promise<string>;
  /** Each kind of connection that was made through a Service, once. */
  connections(): readonly SeenConnection[];
  /** Ends every process of the pods and takes away their networks and files. Objects of the API stay as they are. */
  stop(): Promise<void>;
}
