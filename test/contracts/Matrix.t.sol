// SPDX-License-Identifier: MIT
pragma solidity =0.8.30;

import {IDepositRouter, Order} from "./support/IDepositRouter.sol";
import {Intruder} from "./support/Intruder.sol";
import {RouterTest} from "./support/RouterTest.sol";
import {IMoveHook, Token, Traits} from "./support/Tokens.sol";
import {BehaviourVault, Mode, OpenZeppelinVault, SolmateVault} from "./support/Vaults.sol";

contract Watcher is IMoveHook {
    function moved(address, address, address, uint256, bool) external {}
}

/// @notice Every token behaviour with every vault behaviour. A cell is "o" for a successful deposit and "." for a
/// reverted one; the balances must add up in both cases, and each token's row is the expected result.
contract MatrixTest is RouterTest {
    uint256 private constant TOKENS = 26;

    struct Cell {
        Token token;
        address vault;
        address clone;
        uint256 amount;
        uint256 minOut;
    }

    /// @dev Legend of the rows, in order.
    function _traits(uint256 i) private pure returns (uint8 decimals, Traits memory t) {
        decimals = i == 1 ? 6 : i == 2 ? 0 : i == 3 ? 30 : 18; // 0 ordinary, 1-3 other decimals
        if (i == 4) t.noReturn = true;
        if (i == 5 || i == 6) (t.noReturn, t.approveFromZeroOnly) = (true, true); // USDT
        if (i == 6 || i == 7) t.feeBps = 50; // USDT with its fee switched on, fee on transfer
        if (i == 8) t.feeBps = 200; // a fee beyond what the floor allows
        if (i == 9) (t.keeps, t.loses) = (1, 2); // stETH
        // 10 ERC-777, hooks that do nothing; 11 hostile hooks
        if (i == 12) t.falseForFailure = true;
        if (i == 13) t.falseAlways = true;
        if (i == 14) t.twoForTrue = true;
        if (i == 15) t.shortTrue = true;
        if (i == 16) t.noZeroApprove = true; // BNB
        if (i == 17) t.noZeroTransfer = true; // LEND
        if (i == 18) t.infiniteAllowance = true;
        if (i == 19) t.small = true; // UNI
        if (i == 20) t.fallbackSelector = true; // WETH
        // 21 blocks the vault, 22 blocks refundTo, 23 blocks the clone, 24 paused, 25 unreadable
    }

    function _prepare(uint256 i, Cell memory cell) private {
        if (i == 10) cell.token.setSpy(address(new Watcher()));
        if (i == 11) {
            Intruder intruder = new Intruder();
            Order memory d = depositOf(address(cell.token), 1, cell.vault);
            intruder.plan(
                address(router),
                0,
                abi.encodeCall(
                    IDepositRouter.execute, (d, one(vaultStep(address(cell.token), cell.vault, bob)), none())
                )
            );
            fund(cell.token, address(intruder), 1);
            cell.token.setSpy(address(intruder));
        }
        if (i == 21) cell.token.setBlocked(cell.vault, true);
        if (i == 22) cell.token.setBlocked(carol, true);
        if (i == 23) cell.token.setBlocked(cell.clone, true);
        if (i == 24) cell.token.setPaused(true);
    }

    function _vault(uint256 kind, address asset) private returns (address) {
        if (kind == 100) return address(new OpenZeppelinVault(asset, 0));
        if (kind == 101) return address(new SolmateVault(asset));
        BehaviourVault made = new BehaviourVault(asset, Mode(kind));
        if (Mode(kind) == Mode.Capped) made.setCap(1);
        if (Mode(kind) == Mode.Reenters || Mode(kind) == Mode.LendsControl) {
            Intruder intruder = new Intruder();
            bytes memory take = abi.encodeCall(Token.transferFrom, (nextClone(), mallory, 1));
            bytes memory nest = abi.encodeCall(
                IDepositRouter.execute,
                (depositOf(asset, 1, address(made)), one(vaultStep(asset, address(made), bob)), none())
            );
            bool reenters = Mode(kind) == Mode.Reenters;
            intruder.plan(reenters ? address(router) : asset, 0, reenters ? nest : take);
            made.setHook(address(intruder));
        }
        return address(made);
    }

    function _row(uint256 kind, uint256 minSharesBps, string memory expected) private {
        bytes memory row = new bytes(TOKENS);
        for (uint256 i = 0; i < TOKENS; ++i) {
            uint256 id = vm.snapshotState();
            (uint8 decimals, Traits memory traits) = _traits(i);
            Cell memory cell;
            cell.token = new Token(decimals, traits);
            cell.clone = nextClone();
            cell.vault = _vault(kind, address(cell.token));
            cell.amount = 1_000 * 10 ** uint256(decimals);
            cell.minOut = cell.amount * minSharesBps / 10_000;
            fund(cell.token, alice, cell.amount);
            fund(cell.token, victim, cell.amount);
            _prepare(i, cell);
            if (i == 25) cell.token.setUnreadable(true);
            bool done = _run(cell);
            cell.token.setUnreadable(false);
            if (done) _assertDelivered(cell, traits);
            else _assertUntouched(cell);
            row[i] = done ? bytes1("o") : bytes1(".");
            vm.revertToState(id);
        }
        eq(row, bytes(expected), "row");
    }

    function _run(Cell memory cell) private returns (bool done) {
        Order memory d = depositOf(address(cell.token), cell.amount, cell.vault);
        d.minOut = cell.minOut;
        vm.prank(alice);
        (done,) = address(router)
            .call(
                abi.encodeCall(
                    IDepositRouter.execute, (d, one(vaultStep(address(cell.token), cell.vault, bob)), only(cell.vault))
                )
            );
    }

    function _assertUntouched(Cell memory cell) private view {
        eq(cell.token.balanceOf(alice), cell.amount, "the sender kept everything");
        eq(cell.token.balanceOf(victim), cell.amount, "so did the victim");
        eq(cell.token.balanceOf(cell.vault), 0, "the vault got nothing");
        eq(Token(cell.vault).balanceOf(bob), 0, "nobody got shares");
    }

    function _assertDelivered(Cell memory cell, Traits memory traits) private view {
        ok(Token(cell.vault).balanceOf(bob) >= cell.minOut, "the receiver has the shares");
        eq(cell.token.balanceOf(victim), cell.amount, "the victim lost nothing");
        eq(cell.token.balanceOf(mallory), 0, "the intruder took nothing");
        eq(cell.token.allowance(cell.clone, cell.vault), 0, "no allowance is left");
        eq(cell.token.balanceOf(address(router)), 0, "nothing stays with the Router");
        ok(cell.token.balanceOf(cell.clone) <= traits.keeps, "nor with the clone, but for a token's own rounding");
        uint256 out = cell.token.balanceOf(cell.vault) + cell.token.balanceOf(carol);
        uint256 paid = cell.amount - cell.token.balanceOf(alice);
        ok(paid <= cell.amount, "the sender paid no more than the amount");
        if (traits.feeBps == 0 && traits.loses == 0) eq(out, paid, "what was paid is in the vault or refunded");
    }

    // Rejected by every vault: 13-15 (a result other than true), 21 and 23-25 (blocked, paused, unreadable). Rejected
    // with leftovers: 16 when a remaining allowance cannot be set to zero, 22 when refundTo is blocked.

    function test_openZeppelin() external {
        _row(100, 9_700, "ooooooooooooo...ooooo.o...");
    }

    function test_solmate() external {
        _row(101, 9_700, "ooooooooooooo...ooooo.o...");
    }

    function test_honest() external {
        _row(uint256(Mode.Honest), 9_700, "oooooooo.oooo...ooooo.o...");
    }

    function test_mintsHalf() external {
        _row(uint256(Mode.MintsHalf), 9_700, "..........................");
    }

    function test_mintsToCaller() external {
        _row(uint256(Mode.MintsToCaller), 1, "..........................");
    }

    function test_takesHalf() external {
        _row(uint256(Mode.TakesHalf), 4_700, "ooooooooooooo....oooo.....");
    }

    function test_takesNothing() external {
        _row(uint256(Mode.TakesNothing), 9_700, "ooooooooooooo....ooooo....");
    }

    function test_mintsNothing() external {
        _row(uint256(Mode.MintsNothing), 1, "..........................");
    }

    function test_reenters() external {
        _row(uint256(Mode.Reenters), 9_700, "oooooooo.oooo...ooooo.o...");
    }

    function test_lendsControl() external {
        _row(uint256(Mode.LendsControl), 9_700, "oooooooo.oooo...ooooo.o...");
    }

    function test_liesInReturn() external {
        _row(uint256(Mode.LiesInReturn), 9_700, "..........................");
    }

    function test_mintsLater() external {
        _row(uint256(Mode.MintsLater), 1, "..........................");
    }

    function test_chargesFee() external {
        _row(uint256(Mode.ChargesFee), 9_700, "oooooooo.oooo...ooooo.o...");
    }

    function test_capped() external {
        _row(uint256(Mode.Capped), 1, "..........................");
    }

    function test_reverts() external {
        _row(uint256(Mode.Reverts), 1, "..........................");
    }
}
