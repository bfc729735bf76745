import { type DescMethod, getOption } from '@bufbuild/protobuf';
import { STAFF_SERVICES, type StaffService, staffContracts } from '@supplier/lib/rpc/staff-contracts';
import { access } from '@supplier/proto/common/v1/options';

/** A method of one service that a staff role may call. */
export interface StaffMethod {
  readonly target: StaffService;
  /** The path of the call: `/package.Service/Method`. */
  readonly path: string;
  readonly isStream: boolean;
  /** Maximum duration of a unary call, in milliseconds. */
  readonly maxMs: number;
}

/** Applies to methods whose contract sets no limit. */
const MAX_MS = 10_000;

const isForStaff = (method: DescMethod) =>
  getOption(method, access).roles.some((role) => role.startsWith('staff:'));

/**
 * The methods that the console forwards, by target and path: only methods that name a staff role. The services decide
 * who may call which.
 */
export const staffMethods: ReadonlyMap<string, StaffMethod> = new Map(
  STAFF_SERVICES.flatMap((target) =>
    staffContracts[target]
      .flatMap((contract) => contract.methods)
      .filter(isForStaff)
      .map((method): [string, StaffMethod] => {
        const path = `/${method.parent.typeName}/${method.name}`;
        const maxMs = getOption(method, access).maxSeconds * 1_000 || MAX_MS;
        return [`${target}${path}`, { target, path, isStream: method.methodKind !== 'unary', maxMs }];
      }),
  ),
);
