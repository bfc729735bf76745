// The kinds that the node reads, under short names, with the fields that the API server always sets.
import type { IEndpointSlice } from 'kubernetes-models/discovery.k8s.io/v1/EndpointSlice';
import type { IConfigMap } from 'kubernetes-models/v1/ConfigMap';
import type { IContainer } from 'kubernetes-models/v1/Container';
import type { IPersistentVolumeClaim } from 'kubernetes-models/v1/PersistentVolumeClaim';
import type { IPod } from 'kubernetes-models/v1/Pod';
import type { IPodSpec } from 'kubernetes-models/v1/PodSpec';
import type { ISecret } from 'kubernetes-models/v1/Secret';
import type { IService } from 'kubernetes-models/v1/Service';

interface Metadata {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly generation?: number;
  readonly deletionTimestamp?: string;
  readonly deletionGracePeriodSeconds?: number;
}
type Stored<T> = Omit<T, 'metadata'> & { readonly metadata: Metadata };

export type Pod = Omit<Stored<IPod>, 'spec'> & { readonly spec: IPodSpec };
export type Container = IContainer;
export type Service = Stored<IService>;
export type EndpointSlice = Stored<IEndpointSlice>;
export type Secret = Stored<ISecret>;
export type ConfigMap = Stored<IConfigMap>;
export type Claim = Stored<IPersistentVolumeClaim>;
export type { IContainerState as ContainerState } from 'kubernetes-models/v1/ContainerState';
export type { IContainerStatus as ContainerStatus } from 'kubernetes-models/v1/ContainerStatus';
export type { ILifecycleHandler as LifecycleHandler } from 'kubernetes-models/v1/LifecycleHandler';
export type { IPodCondition as PodCondition } from 'kubernetes-models/v1/PodCondition';
export type { IPodStatus as PodStatus } from 'kubernetes-models/v1/PodStatus';
export type { IProbe as Probe } from 'kubernetes-models/v1/Probe';
export type { IVolume as Volume } from 'kubernetes-models/v1/Volume';
export type { IVolumeProjection as VolumeProjection } from 'kubernetes-models/v1/VolumeProjection';
