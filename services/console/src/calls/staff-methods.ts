import { type DescMethod, getOption } from '@bufbuild/protobuf';
import { STAFF_SERVICES, type StaffService, staffContracts } from '@supplier/lib/rpc/staff-contracts';
import { access } from '@supplier/proto/common/v1/options';

/** A method that some role of staff may call, at one service. */
export interface StaffMethod {
  readonly target: StaffService;
  /** As it is called: `/package.Service/Method`. */
  readonly path: string;
  readonly isStream: boolean;
  /** The longest that a unary call of it takes, in milliseconds. */
  readonly maxMs: number;
}

/** Of methods whose contract says nothing else. */
const MAX_MS = 10_000;

const isForStaff = (method: DescMethod) =>
  getOption(method, access).roles.some((role) => role.startsWith('staff:'));

/**
 * Every method that the console passes on, by target and path: those that name a role of staff, and no other. Which person
 * may call which is for the services to say.
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
