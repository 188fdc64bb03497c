// SPDX-License-Identifier: MIT
pragma solidity =0.8.30;

import {Vm} from "./support/Vm.sol";
import {Order, Step} from "./support/IDepositRouter.sol";
import {RouterTest} from "./support/RouterTest.sol";
import {OpenZeppelinVault} from "./support/Vaults.sol";
import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

/// @notice OpenZeppelin's real token, because the test token's switches cost gas of their own.
contract PlainToken is ERC20("Plain", "PLN") {
    function mint(address to, uint256 amount) external {
        _mint(to, amount);
    }
}

/// @notice What the Router costs on top of the vault, as whole transactions after refunds.
contract GasTest is RouterTest {
    event Measured(string what, uint256 gas);

    function _used(string memory what) private returns (uint256 used) {
        Vm.Gas memory gas_ = vm.lastCallGas();
        used = gas_.gasTotalUsed;
        emit Measured(what, used);
        emit Measured("refunded", uint256(int256(gas_.gasRefunded)));
    }

    /// forge-config: default.isolate = true
    function test_depositThroughTheRouterCostsLittleMoreThanADirectOne() external {
        PlainToken plain = new PlainToken();
        OpenZeppelinVault into_ = new OpenZeppelinVault(address(plain), 0);
        address[2] memory payers = [alice, bob];
        for (uint256 i = 0; i < 2; ++i) {
            plain.mint(payers[i], 2e18);
            vm.prank(payers[i]);
            plain.approve(i == 0 ? address(router) : address(into_), 10e18);
        }
        vm.prank(bob);
        into_.deposit(0.5e18, bob);
        vm.prank(bob);
        into_.deposit(0.5e18, bob);
        uint256 direct = _used("direct");

        Order memory d = depositOf(address(plain), 1e18, address(into_));
        Step[] memory steps = one(vaultStep(address(plain), address(into_), bob));
        vm.prank(alice);
        router.execute(d, steps, none());
        uint256 routed = _used("through the Router");
        ok(routed < direct + 150_000, "overhead");
    }
}
