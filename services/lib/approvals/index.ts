export { type Approvable, type ApprovableAct, approvableAct } from './approvable-act.ts';
export { type Approvals, type FourEyes, fourEyes, openApprovals } from './approvals.ts';
