import { type DescMethod, getOption } from '@bufbuild/protobuf';
import { STAFF_SERVICES, type StaffService, staffContracts } from '@supplier/lib/staff-contracts';
import { access } from '@supplier/proto/common/v1/options';

/** A method that some role of staff may call, at one service. */
export interface StaffMethod {
  readonly target: StaffService;
  /** As it is called: `/package.Service/Method`. */
  readonly path: string;
  readonly isStream: boolean;
}

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
        return [`${target}${path}`, { target, path, isStream: method.methodKind !== 'unary' }];
      }),
  ),
);
