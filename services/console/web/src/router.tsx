import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router';
import { approvalsSearch } from './screens/approvals-search.ts';
import { auditSearch } from './screens/audit-search.ts';
import { figuresSearch } from './screens/figures-search.ts';
import { FindScreen, findSearch } from './screens/find.tsx';
import { peopleSearch } from './screens/people-search.ts';
import { submissionsSearch } from './screens/submissions-search.ts';
import { suppliersSearch } from './screens/suppliers-search.ts';
import { TodayScreen } from './screens/today.tsx';
import { todaySearch } from './screens/today-search.ts';
import { Shell } from './shell.tsx';

const root = createRootRoute({
  component: Shell,
  notFoundComponent: () => <p role="alert">There is no such screen.</p>,
});
const today = createRoute({
  getParentRoute: () => root,
  path: '/',
  validateSearch: todaySearch,
  component: TodayScreen,
});
const submissions = createRoute({
  getParentRoute: () => root,
  path: '/submissions',
  validateSearch: submissionsSearch,
  component: lazyRouteComponent(() => import('./screens/submissions.tsx'), 'SubmissionsScreen'),
});
const submission = createRoute({
  getParentRoute: () => root,
  path: '/submissions/$submissionId',
  component: lazyRouteComponent(() => import('./screens/submission.tsx'), 'SubmissionScreen'),
});
const find = createRoute({
  getParentRoute: () => root,
  path: '/find',
  validateSearch: findSearch,
  component: FindScreen,
});
// Loaded separately with its plotting library, which the first page doesn't need.
const figures = createRoute({
  getParentRoute: () => root,
  path: '/figures',
  validateSearch: figuresSearch,
  component: lazyRouteComponent(() => import('./screens/figures.tsx'), 'FiguresScreen'),
});

const suppliers = createRoute({
  getParentRoute: () => root,
  path: '/suppliers',
  validateSearch: suppliersSearch,
  component: lazyRouteComponent(() => import('./screens/suppliers.tsx'), 'SuppliersScreen'),
});
const supplier = createRoute({
  getParentRoute: () => root,
  path: '/suppliers/$accountId',
  component: lazyRouteComponent(() => import('./screens/supplier.tsx'), 'SupplierScreen'),
});
const money = createRoute({
  getParentRoute: () => root,
  path: '/money',
  component: lazyRouteComponent(() => import('./screens/money.tsx'), 'MoneyScreen'),
});
const statement = createRoute({
  getParentRoute: () => root,
  path: '/suppliers/$accountId/statements/$month',
  component: lazyRouteComponent(() => import('./screens/statement.tsx'), 'StatementScreen'),
});
const policies = createRoute({
  getParentRoute: () => root,
  path: '/policies',
  component: lazyRouteComponent(() => import('./screens/policies.tsx'), 'PoliciesScreen'),
});
const policy = createRoute({
  getParentRoute: () => root,
  path: '/policies/$kind/$version',
  component: lazyRouteComponent(() => import('./screens/policy.tsx'), 'PolicyScreen'),
});
const approvals = createRoute({
  getParentRoute: () => root,
  path: '/approvals',
  validateSearch: approvalsSearch,
  component: lazyRouteComponent(() => import('./screens/approvals.tsx'), 'ApprovalsScreen'),
});
const people = createRoute({
  getParentRoute: () => root,
  path: '/people',
  validateSearch: peopleSearch,
  component: lazyRouteComponent(() => import('./screens/people.tsx'), 'PeopleScreen'),
});
const audit = createRoute({
  getParentRoute: () => root,
  path: '/audit',
  validateSearch: auditSearch,
  component: lazyRouteComponent(() => import('./screens/audit.tsx'), 'AuditScreen'),
});
const records = createRoute({
  getParentRoute: () => root,
  path: '/records',
  component: lazyRouteComponent(() => import('./screens/records.tsx'), 'RecordsScreen'),
});

/** All screens with their paths. */
export const router = createRouter({
  routeTree: root.addChildren([
    today,
    submissions,
    submission,
    find,
    suppliers,
    supplier,
    statement,
    money,
    policies,
    policy,
    approvals,
    people,
    audit,
    records,
    figures,
  ]),
  defaultPreload: false,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
