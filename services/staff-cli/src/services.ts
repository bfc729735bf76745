import type { DescService } from '@bufbuild/protobuf';
import { STAFF_SERVICES, type StaffService, staffContracts } from '@supplier/lib/rpc/staff-contracts';

/** A service that staff may call, by the name of its process, which is also the audience of its tokens. */
export type ServiceName = StaffService;
export const serviceNames = STAFF_SERVICES;

/** Returns the processes that implement a shared contract, or none if only one does. */
export function servicesSharing(contract: DescService): readonly ServiceName[] {
  const names = implementersOf(contract);
  return names.length > 1 ? names : [];
}

/** Returns the only process that implements a contract, or undefined if several do. Throws for an unlisted contract. */
export function ownerOf(contract: DescService): ServiceName | undefined {
  const [name, ...others] = implementersOf(contract);
  if (name === undefined)
    throw new Error(`no service implements ${contract.typeName}: add it to lib/rpc/staff-contracts`);
  return others.length > 0 ? undefined : name;
}

const implementersOf = (contract: DescService) =>
  serviceNames.filter((name) => staffContracts[name].some(({ typeName }) => typeName === contract.typeName));
