// SPDX-License-Identifier: MIT
pragma solidity =0.8.30;

import {Deposit, Step} from "./support/IDepositRouter.sol";
import {RouterTest} from "./support/RouterTest.sol";

/// @notice What the Router costs on top of the vault, as whole transactions (calldata and the first 21,000 included).
contract GasTest is RouterTest {
    event Measured(string what, uint256 gas);

    /// forge-config: default.isolate = true
    function test_depositThroughTheRouterCostsLittleMoreThanADirectOne() external {
        token.mint(bob, 1e18);
        vm.prank(bob);
        token.approve(address(vault), MAX);
        vm.prank(bob);
        vault.deposit(0.5e18, bob);
        vm.prank(bob);
        vault.deposit(0.5e18, bob);
        uint256 direct = vm.lastCallGas().gasTotalUsed;

        Deposit memory d = simple(1e18);
        Step[] memory steps = into(address(vault));
        vm.prank(alice);
        router.deposit(d, steps, none());
        uint256 routed = vm.lastCallGas().gasTotalUsed;
        emit Measured("direct", direct);
        emit Measured("through the Router", routed);
        ok(routed < direct + 150_000, "overhead");
    }
}
