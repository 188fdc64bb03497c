// SPDX-License-Identifier: MIT
pragma solidity =0.8.30;

import {Assertions, Vm} from "./Vm.sol";
import {IDepositRouter, IExecutor, Order, Patch, Step} from "./IDepositRouter.sol";
import {Token, Traits} from "./Tokens.sol";
import {OpenZeppelinVault} from "./Vaults.sol";

/// @notice A Router, an ordinary token, a real vault, and people whose roles never coincide unless a test says so.
abstract contract RouterTest is Assertions {
    address internal constant PERMIT2 = 0x000000000022D473030F116dDEE9F6B43aC78BA3;
    uint256 internal constant MAX = type(uint256).max;
    address internal constant NATIVE = address(0);

    address internal alice = person("alice"); // pays
    address internal bob = person("bob"); // receives the shares
    address internal carol = person("carol"); // gets the leftovers
    address internal victim = person("victim"); // gave the Router an unlimited approval and never calls it
    address internal mallory = person("mallory");

    IDepositRouter internal router;
    address internal implementation;
    Token internal token;
    OpenZeppelinVault internal vault;

    function setUp() public virtual {
        vm.warp(1_700_000_000);
        router = IDepositRouter(create(vm.getCode("DepositRouter.sol:DepositRouter")));
        implementation = address(router.executorImplementation());
        token = ordinary();
        vault = new OpenZeppelinVault(address(token), 0);
        fund(token, alice, 1_000e18);
        fund(token, victim, 1_000_000e18);
    }

    function person(string memory name) internal pure returns (address) {
        return address(uint160(uint256(keccak256(bytes(name)))));
    }

    function create(bytes memory code) internal returns (address created) {
        assembly {
            created := create(0, add(code, 32), mload(code))
        }
        ok(created != address(0), "created");
    }

    function ordinary() internal returns (Token) {
        Traits memory plain;
        return new Token(18, plain);
    }

    /// @dev The unlimited approval is what every incident of the class was about.
    function fund(Token of_, address account, uint256 amount) internal {
        of_.mint(account, amount);
        vm.prank(account);
        // A low-level call: some tokens answer with nothing.
        (bool done,) = address(of_).call(abi.encodeCall(Token.approve, (address(router), MAX)));
        ok(done, "approved");
    }

    /// @dev The address of the clone in which the next deposit will run: anybody can compute it.
    function nextClone() internal view returns (address) {
        return vm.computeCreateAddress(address(router), vm.getNonce(address(router)));
    }

    /// @dev A deposit into a vault that mints to the receiver, which is what the last step then does.
    function depositOf(address tokenIn, uint256 amount, address tokenOut) internal view returns (Order memory) {
        return Order({
            tokenIn: tokenIn,
            amountIn: amount,
            minIn: 1,
            nativeFee: 0,
            tokenOut: tokenOut,
            receiver: bob,
            minOut: 1,
            minOutPerIn: 0,
            deadline: block.timestamp,
            direct: true,
            refundTo: carol,
            ref: "ref",
            partnerId: "partner",
            partnerType: 7
        });
    }

    function simple(uint256 amount) internal view returns (Order memory) {
        return depositOf(address(token), amount, address(vault));
    }

    function callStep(address target, bytes memory data) internal pure returns (Step memory step) {
        step.target = target;
        step.data = data;
    }

    /// @dev The template of ERC-4626: approve the vault, write the balance over the amount.
    function vaultStep(address asset, address vault_, address receiver) internal pure returns (Step memory step) {
        step = callStep(vault_, abi.encodeWithSignature("deposit(uint256,address)", 0, receiver));
        step.approveToken = asset;
        step.spender = vault_;
        step.patches = patch(asset, 4);
    }

    /// @dev The whole balance of a token, written at an offset.
    function patch(address token_, uint256 offset) internal pure returns (Patch[] memory) {
        return patch(token_, offset, 0, 0);
    }

    function patch(address token_, uint256 offset, uint256 mul, uint256 div)
        internal
        pure
        returns (Patch[] memory patches)
    {
        patches = new Patch[](1);
        patches[0] = Patch({offset: offset, token: token_, mul: mul, div: div});
    }

    function stepFailed(uint256 index, bytes memory reason) internal pure returns (bytes memory) {
        return abi.encodeWithSelector(IDepositRouter.StepFailed.selector, index, reason);
    }

    function stepSaid(uint256 index, string memory why) internal pure returns (bytes memory) {
        return stepFailed(index, abi.encodeWithSignature("Error(string)", why));
    }

    function tokenFailed(address token_, bytes memory reason) internal pure returns (bytes memory) {
        return abi.encodeWithSelector(IDepositRouter.TokenFailed.selector, token_, reason);
    }

    function tokenSaid(address token_, string memory why) internal pure returns (bytes memory) {
        return tokenFailed(token_, abi.encodeWithSignature("Error(string)", why));
    }

    function outputBelow(uint256 amountOut, uint256 floor) internal pure returns (bytes memory) {
        return abi.encodeWithSelector(IDepositRouter.OutputBelowMinimum.selector, amountOut, floor);
    }

    /// @dev What somebody other than the Router sends to an executor: everything in it for mallory.
    function driveData(Step[] memory steps, address token_) internal view returns (bytes memory) {
        Order memory d = depositOf(token_, 1, address(vault));
        (d.receiver, d.refundTo) = (mallory, mallory);
        return abi.encodeCall(IExecutor.run, (d, steps, none()));
    }

    function one(Step memory step) internal pure returns (Step[] memory steps) {
        steps = new Step[](1);
        steps[0] = step;
    }

    function two(Step memory first, Step memory second) internal pure returns (Step[] memory steps) {
        steps = new Step[](2);
        steps[0] = first;
        steps[1] = second;
    }

    function three(Step memory first, Step memory second, Step memory third)
        internal
        pure
        returns (Step[] memory steps)
    {
        steps = new Step[](3);
        steps[0] = first;
        steps[1] = second;
        steps[2] = third;
    }

    function into(address vault_) internal view returns (Step[] memory) {
        return one(vaultStep(address(token), vault_, bob));
    }

    function none() internal pure returns (address[] memory) {}

    function only(address entry) internal pure returns (address[] memory list) {
        list = new address[](1);
        list[0] = entry;
    }

    /// @dev Deposits as alice, without sweep.
    function run(Order memory d, Step[] memory steps) internal returns (uint256) {
        vm.prank(alice);
        return router.execute(d, steps, none());
    }

    function runExpecting(bytes memory failure, Order memory d, Step[] memory steps) internal {
        vm.expectRevert(failure);
        run(d, steps);
    }

    /// @dev A step that fails must leave everything as it was; the usual case of a refused step.
    function stepExpecting(bytes memory failure, Step memory step) internal {
        runExpecting(failure, simple(100e18), two(step, vaultStep(address(token), address(vault), bob)));
        eq(token.balanceOf(alice), 1_000e18, "alice kept her money");
    }

    /// @dev Router, Executor and clone hold nothing and have approved nobody.
    function assertEmpty(address token_, address clone, address spender) internal view {
        address[3] memory ours = [address(router), implementation, clone];
        for (uint256 i = 0; i < 3; ++i) {
            eq(Token(token_).balanceOf(ours[i]), 0, "no token of ours");
            eq(Token(token_).allowance(ours[i], spender), 0, "no allowance of ours");
            eq(ours[i].balance, 0, "no native of ours");
        }
    }
}
