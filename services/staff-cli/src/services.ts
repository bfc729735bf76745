import type { DescService } from '@bufbuild/protobuf';
import { STAFF_SERVICES, type StaffService, staffContracts } from '@supplier/lib/rpc/staff-contracts';

/** A service that staff may call, by the name of its process, which is also the audience of its tokens. */
export type ServiceName = StaffService;
export const serviceNames = STAFF_SERVICES;

/** The processes that answer to a contract that several share; none for any other. */
export function sharersOf(contract: DescService): readonly ServiceName[] {
  const names = answering(contract);
  return names.length > 1 ? names : [];
}

/** The process that serves a contract alone; undefined for what several serve. Throws for an unlisted contract. */
export function ownerOf(contract: DescService): ServiceName | undefined {
  const [name, ...others] = answering(contract);
  if (name === undefined)
    throw new Error(`cannot find the service of ${contract.typeName}: name it in lib/rpc/staff-contracts`);
  return others.length > 0 ? undefined : name;
}

const answering = (contract: DescService) =>
  serviceNames.filter((name) => staffContracts[name].some(({ typeName }) => typeName === contract.typeName));
